// Turns a chart as Go describes it (chart.go) into an option object of ECharts
// for one width and one colour scheme. Positions come ready on linear axes, so
// that a logarithm is taken in one place only.
import {light, dark, font} from './theme.js'
import {amount, escape, significant} from './format.js'

const charWidth = 6.6
const longest = texts => texts.reduce((n, t) => Math.max(n, t.length), 0) * charWidth

// layout places the panels in columns; all of them have the same size.
function layout(spec, width, zoom) {
  const n = spec.panels.length
  const columns = Math.min(n, spec.columns || 1, width < 560 ? 1 : width < 780 ? 2 : 3)
  const left = spec.rows ? Math.min(longest(spec.y.ticks.map(t => t.label)) * 1.12 + 22, width * 0.3)
    : longest(spec.y.ticks.map(t => t.label)) + 16
  const labels = spec.panels.flatMap(p => p.series.map(s => s.label || ''))
  const room = longest(labels) * 1.12 + 18
  const right = Math.max(18, Math.min(room, (width / columns) * (spec.rows ? 0.44 : 0.3)))
  const top = spec.panels.some(p => p.title) ? 34 : 14
  const bottom = spec.stacked ? 8 : 46
  const cell = (width - 8) / columns
  const height = top + spec.height + bottom
  const lines = Math.ceil(n / columns)
  const extra = (spec.stacked ? 40 : 0) + (zoom ? 34 : 0) + (spec.y.name ? 22 : 0)
  const head = spec.y.name ? 22 : 0
  return {
    columns, left, right, top, bottom, head,
    height: lines * height + extra,
    grid: i => ({
      left: (i % columns) * cell + left, top: head + Math.floor(i / columns) * height + top,
      width: Math.max(60, cell - left - right), height: spec.height,
    }),
  }
}

function axis(a, colors, index, more) {
  const ticks = a.ticks || []
  const values = ticks.map(t => t.at)
  const name = v => {
    const t = ticks.find(t => Math.abs(t.at - v) < 1e-9 * Math.max(1, Math.abs(v)))
    return t ? t.label : ''
  }
  return Object.assign({
    type: 'value', gridIndex: index, min: a.min, max: a.max,
    axisLine: {show: false}, axisTick: {show: false, customValues: values},
    axisLabel: {customValues: values, formatter: name, color: colors.soft, fontSize: 11, fontFamily: font, hideOverlap: true},
    splitLine: {lineStyle: {color: colors.line}},
  }, more)
}

// whiskers draws an interval with a short bar at each end.
function whiskers(color, horizontal) {
  return (params, api) => {
    const at = (k, v) => horizontal ? api.coord([v, api.value(1)]) : api.coord([api.value(0), v])
    const a = at(0, api.value(2)), b = at(0, api.value(3))
    const cap = horizontal ? [0, 4] : [4, 0]
    const line = (p, q) => ({type: 'line', shape: {x1: p[0], y1: p[1], x2: q[0], y2: q[1]}, style: {stroke: color, lineWidth: 1.5}})
    return {type: 'group', children: [
      line(a, b),
      line([a[0] - cap[0], a[1] - cap[1]], [a[0] + cap[0], a[1] + cap[1]]),
      line([b[0] - cap[0], b[1] - cap[1]], [b[0] + cap[0], b[1] + cap[1]]),
    ]}
  }
}

// rug draws what lasted as a bar at the foot of the panel.
function rug(color) {
  return (params, api) => {
    const area = params.coordSys
    const a = api.coord([api.value(0), 0])[0], b = api.coord([api.value(1), 0])[0]
    const from = Math.max(area.x, a), to = Math.min(area.x + area.width, Math.max(b, a + 1.5))
    if (to <= from) return null
    return {type: 'rect', shape: {x: from, y: area.y + area.height - 6, width: to - from, height: 5}, style: {fill: color}}
  }
}

const labelHeight = 14

// beside writes the labels of a panel into its right margin, each at the height
// of its series' last point, but never over another.
function beside(spec, panel, grid, room, colors) {
  const at = y => (spec.rows ? y - spec.y.min : spec.y.max - y) / (spec.y.max - spec.y.min) * grid.height
  const list = panel.series.filter(s => s.label && s.points.length)
    .map(s => ({s, y: at(s.points[s.points.length - 1][1])})).sort((a, b) => a.y - b.y)
  const move = (from, to, step, meets) => {
    for (let i = from; i !== to; i += step) if (meets(list[i], list[i + step])) list[i + step].y = list[i].y + step * labelHeight
  }
  const n = list.length
  if (n) {
    move(0, n - 1, 1, (a, b) => b.y < a.y + labelHeight)
    list[n - 1].y = Math.min(list[n - 1].y, grid.height)
    move(n - 1, 0, -1, (b, a) => a.y > b.y - labelHeight)
  }
  return list.map(({s, y}) => ({
    type: 'text', silent: true, x: grid.left + grid.width + 10, y: grid.top + y,
    style: {text: s.label, fill: spec.rows ? colors.ink : colors.dark ? s.dark : s.light, verticalAlign: 'middle', fontSize: 12, fontFamily: font, width: room, overflow: 'truncate'},
  }))
}

function spans(panel, kind) {
  return (panel.spans || []).filter(s => s.kind === kind)
}

function areas(panel, colors) {
  const data = []
  for (const kind of ['warmup', 'checkpoint', 'band']) {
    for (const s of spans(panel, kind)) data.push([{xAxis: s.from, itemStyle: {color: colors[kind]}}, {xAxis: s.to}])
  }
  return data.length ? {silent: true, data} : undefined
}

function lines(spec, panel, index, colors) {
  const out = []
  const base = {xAxisIndex: index, yAxisIndex: index}
  panel.series.forEach((s, k) => {
    const color = colors.dark ? s.dark : s.light
    const ranges = s.points.filter(p => p.length === 4)
    if (ranges.length) {
      out.push(Object.assign({type: 'custom', silent: true, tooltip: {show: false}, data: ranges, renderItem: whiskers(color, spec.rows), encode: {x: 0, y: 1}, z: 2, clip: true}, base))
    }
    const marked = spec.time ? {showSymbol: false} : {showSymbol: true, symbol: s.symbol, symbolSize: s.symbol === 'circle' ? 7 : 8}
    out.push(Object.assign({
      type: 'line', name: s.name, data: s.points.map(p => [p[0], p[1]]), color, animation: false, z: 3,
      lineStyle: {color, width: spec.time ? 1.4 : 1.8, type: s.dash ? [5, 4] : 'solid', opacity: spec.rows ? 0 : 1},
      itemStyle: {color: s.hollow && !spec.time ? colors.paper : color, borderColor: color, borderWidth: s.hollow && !spec.time ? 1.6 : 0}, emphasis: {disabled: true},
      step: s.step ? 'end' : false, sampling: spec.time ? 'lttb' : undefined,
      markArea: k === 0 ? areas(panel, colors) : undefined,
      markLine: k === 0 && spec.zero !== undefined ? {silent: true, symbol: 'none', label: {show: false}, lineStyle: {color: colors.axis, type: 'solid', width: 1.2}, data: [{xAxis: spec.zero}]} : undefined,
    }, marked, base))
  })
  const runs = spans(panel, 'autovacuum')
  if (runs.length) {
    out.push(Object.assign({type: 'custom', silent: true, tooltip: {show: false}, data: runs.map(s => [s.from, s.to]), renderItem: rug(colors.autovacuum), encode: {x: [0, 1]}, z: 4}, base))
  }
  return out
}

function tooltip(spec, colors) {
  const dot = c => '<span style="display:inline-block;width:9px;height:9px;border-radius:5px;margin-right:6px;background:' + c + '"></span>'
  const value = v => amount(spec.y.log ? Math.pow(10, v) : v, spec.y.unit)
  const one = p => {
    const texts = spec.texts[p.seriesName]
    return dot(spec.colors[p.seriesName]) + escape(p.seriesName) + ': <b>' + escape(texts ? texts[p.dataIndex] : value(p.value[1])) + '</b>'
  }
  return {
    trigger: spec.time ? 'axis' : 'item', confine: true, backgroundColor: colors.paper, borderColor: colors.axis,
    textStyle: {color: colors.ink, fontSize: 12, fontFamily: font}, extraCssText: 'max-width:22rem;white-space:normal',
    axisPointer: {lineStyle: {color: colors.axis}},
    formatter: params => {
      const list = Array.isArray(params) ? params : [params]
      const head = spec.time && list.length ? amount(list[0].value[0], 's') + '<br>' : ''
      return head + list.map(one).join('<br>')
    },
  }
}

// option describes the chart; height is what it needs at that width.
export function option(spec, env) {
  const colors = env.dark ? dark : light
  const zoom = env.live && spec.time
  const place = layout(spec, env.width, zoom)
  // What the tooltip says of a series, by its name.
  const said = {texts: {}, colors: {}}
  for (const s of spec.panels.flatMap(p => p.series)) {
    said.colors[s.name] = colors.dark ? s.dark : s.light
    if (s.texts) said.texts[s.name] = s.texts
  }
  const last = spec.panels.length - 1
  const titles = spec.panels.map((p, i) => ({
    text: p.title || '', left: place.grid(i).left - 2, top: place.grid(i).top - 28, padding: 0,
    textAlign: 'left', textStyle: {align: 'left', color: colors.ink, fontSize: 12, fontWeight: 600, fontFamily: font, width: place.grid(i).width, overflow: 'truncate'},
  }))
  if (spec.y.name) titles.push({text: spec.y.name, left: 0, top: 0, padding: 0, textStyle: {color: colors.soft, fontSize: 11, fontWeight: 400, fontFamily: font}})
  const labelWidth = spec.rows ? {axisLabel: {width: place.left - 14, overflow: 'truncate'}} : {}
  const yAxis = spec.panels.map((p, i) => {
    const a = axis(spec.y, colors, i, spec.rows ? {inverse: true, splitLine: {show: false}} : {})
    Object.assign(a.axisLabel, labelWidth.axisLabel, spec.rows ? {hideOverlap: false, color: colors.ink, fontSize: 12} : {})
    return a
  })
  const xAxis = spec.panels.map((p, i) => {
    const bare = spec.stacked && i !== last
    const a = axis(spec.x, colors, i, {
      splitLine: {show: !!spec.rows, lineStyle: {color: colors.line}}, axisLine: {show: !spec.rows, onZero: false, lineStyle: {color: colors.axis}},
      name: bare ? '' : spec.x.name, nameLocation: 'middle', nameGap: 28, nameTextStyle: {color: colors.soft, fontSize: 11, fontFamily: font},
    })
    if (spec.time) {
      delete a.axisLabel.customValues
      delete a.axisTick.customValues
      a.axisLabel.formatter = v => significant(v, 4)
    }
    if (bare) a.axisLabel.show = false
    return a
  })
  return {
    height: place.height,
    option: {
      animation: false, backgroundColor: env.live ? 'transparent' : colors.paper, textStyle: {fontFamily: font},
      title: titles, grid: spec.panels.map((p, i) => place.grid(i)), xAxis, yAxis,
      series: spec.panels.flatMap((p, i) => lines(spec, p, i, colors)),
      graphic: spec.panels.flatMap((p, i) => beside(spec, p, place.grid(i), place.right - 14, colors)),
      tooltip: env.live ? tooltip(Object.assign(said, spec), colors) : {show: false},
      axisPointer: spec.time && spec.panels.length > 1 ? {link: [{xAxisIndex: 'all'}]} : undefined,
      dataZoom: zoom ? [{type: 'slider', xAxisIndex: spec.panels.map((p, i) => i), bottom: 4, height: 18, left: place.left, right: place.right,
        borderColor: 'transparent', backgroundColor: colors.line, fillerColor: colors.band, showDetail: false, showDataShadow: false, brushSelect: false,
        handleStyle: {color: colors.soft, borderColor: colors.soft}, moveHandleSize: 0}] : undefined,
    },
  }
}
