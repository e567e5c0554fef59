// The parts of ECharts that the reports draw with.
import * as echarts from 'echarts/core'
import {LineChart, CustomChart} from 'echarts/charts'
import {GridComponent, TooltipComponent, TitleComponent, MarkLineComponent, MarkAreaComponent, GraphicComponent, DataZoomSliderComponent} from 'echarts/components'
import {SVGRenderer} from 'echarts/renderers'

echarts.use([LineChart, CustomChart, GridComponent, TooltipComponent, TitleComponent, MarkLineComponent, MarkAreaComponent, GraphicComponent,
  DataZoomSliderComponent, SVGRenderer])

export {echarts}
