export interface Separators {
  readonly group: string
  readonly decimal: string
}

export function separatorsOf(language: string): Separators {
  const parts = new Intl.NumberFormat(language).formatToParts(1234567.5)
  const read = (type: string): string => parts.find((part) => part.type === type)?.value ?? ''
  return { group: read('group'), decimal: read('decimal') }
}

const WRITTEN = /^([+-]?)(\d+)(?:\.(\d+))?(e[+-]?\d+)?$/i

/** Keeps all digits, because `Intl` rounds to three decimals. */
export function formatNumber(language: string, value: number | string): string {
  const [, sign, whole, decimals, power = ''] = WRITTEN.exec(String(value)) ?? []
  if (whole === undefined) return String(value)
  const { group, decimal } = separatorsOf(language)
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, group)
  return `${sign}${grouped}${decimals === undefined ? '' : decimal + decimals}${power}`
}
