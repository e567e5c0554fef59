// Numbers and text of the tooltips. Axis labels come ready from Go.

// significant rounds v to n significant digits and groups its thousands.
export function significant(v, n) {
  if (v === 0) return '0'
  const digits = Math.max(0, Math.min(6, n - 1 - Math.floor(Math.log10(Math.abs(v)))))
  const [whole, part] = String(Number(Math.abs(v).toFixed(digits))).split('.')
  return (v < 0 ? '\u2212' : '') + whole.replace(/\B(?=(\d{3})+$)/g, ',') + (part ? '.' + part : '')
}

// amount writes v with its unit: "ns" is scaled to µs, ms or s.
export function amount(v, unit) {
  if (unit === 'ns') {
    for (const [size, name] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']]) {
      if (Math.abs(v) >= size) return significant(v / size, 3) + ' ' + name
    }
    return significant(v, 3) + ' ns'
  }
  return significant(v, 4) + (unit ? ' ' + unit : '')
}

// escape makes text harmless inside HTML: names of arms are the user's.
export function escape(text) {
  return String(text).replace(/[&<>"']/g, c => '&#' + c.charCodeAt(0) + ';')
}
