import type { Texts } from '../../texts/texts.ts'
import type { ParsedNumber } from './parse-number.ts'

export function problemOfNumber(parsed: ParsedNumber, { t, number }: Texts): string | null {
  if (parsed.kind === 'value') return null
  return t(`field.number.${parsed.why}`, { decimal: number(1.5), group: number(1234) })
}
