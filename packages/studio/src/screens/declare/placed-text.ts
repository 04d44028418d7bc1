import type { Fault } from '../../api/request.ts'
import type { Texts } from '../../texts/texts.ts'

/** A fault with the keys of the declaration before it: `min: …`. */
export function placedText({ path, message }: Fault, { t }: Texts): string {
  return path.length === 0 ? message : t('fault.within', { name: path.join('.'), text: message })
}
