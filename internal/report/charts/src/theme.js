// Colours of what is not data, in both schemes.
// Without quotes: the text stands in attributes of the SVG.
export const font = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif'

export const light = {
  dark: false, ink: '#1f2733', soft: '#5b6675', line: '#e4e8ed', axis: '#aab3be', paper: '#ffffff',
  warmup: 'rgba(91,102,117,0.10)', checkpoint: 'rgba(230,159,0,0.22)', autovacuum: '#8a5fb0', band: 'rgba(91,102,117,0.12)',
}

export const dark = {
  dark: true, ink: '#e6e9ee', soft: '#9aa5b3', line: '#2b323c', axis: '#5b6675', paper: '#171b21',
  warmup: 'rgba(154,165,179,0.12)', checkpoint: 'rgba(242,182,50,0.22)', autovacuum: '#b794d8', band: 'rgba(154,165,179,0.14)',
}
