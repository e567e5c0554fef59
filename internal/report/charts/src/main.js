// What the reports call: svg() inside Go, mount() inside the page.
import {echarts} from './echarts.js'
import {option} from './option.js'
import {light, dark} from './theme.js'

// svg draws a chart (as JSON) without a browser, in the light scheme.
export function svg(json, width) {
  const {option: o, height} = option(JSON.parse(json), {width, dark: false, live: false})
  const chart = echarts.init(null, null, {renderer: 'svg', ssr: true, width, height})
  chart.setOption(o)
  const text = chart.renderToSVGString()
  chart.dispose()
  return text
}

// inSVG is a colour as SVG has it: without its opacity.
const inSVG = color => color.replace(/^rgba\((.*),[^,]*\)$/, 'rgb($1)')

// twins are the colours of what is not data, each for a light page and for a
// dark one: with them a page turns still pictures dark.
export const twins = Object.keys(light).filter(k => typeof light[k] === 'string').map(k => [inSVG(light[k]), inSVG(dark[k])])

// mount puts a live chart into every figure of the page, and draws it again
// when its width or the colour scheme changes. The static pictures stay for
// print, and for browsers in which this does not run.
export function mount() {
  const specs = JSON.parse(document.getElementById('chart-data').textContent)
  const scheme = matchMedia('(prefers-color-scheme: dark)')
  const root = document.documentElement.classList
  const draw = entry => {
    const width = entry.box.clientWidth
    if (!width) return
    const {option: o, height} = option(entry.spec, {width, dark: scheme.matches, live: true})
    entry.box.style.height = height + 'px'
    if (entry.chart) entry.chart.resize({width, height})
    else entry.chart = echarts.init(entry.box, null, {renderer: 'svg', width, height})
    entry.chart.setOption(o, true)
    entry.width = width
  }
  const entries = [...document.querySelectorAll('[data-chart]')].map(box => ({box, spec: specs[box.dataset.chart]}))
  root.add('live')
  try {
    entries.forEach(draw)
  } catch (problem) {
    root.remove('live')
    throw problem
  }
  const resized = new ResizeObserver(() => entries.filter(e => e.box.clientWidth !== e.width).forEach(draw))
  entries.forEach(e => resized.observe(e.box))
  scheme.addEventListener('change', () => entries.forEach(draw))
}
