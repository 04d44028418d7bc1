import type { Fault } from '../../api/request.ts'
import { useTexts } from '../../texts/texts.ts'
import { placedText } from './placed-text.ts'

/** A fault with its place. English within a text of another language is a quotation. */
export function FaultText({ fault }: { readonly fault: Fault }) {
  const texts = useTexts()
  const text = placedText(fault, texts)
  const { english = '' } = fault
  const at = text.indexOf(english)
  if (english === '' || texts.language === 'en' || at === -1) return text
  return (
    <>
      {text.slice(0, at)}
      <q lang="en">{english}</q>
      {text.slice(at + english.length)}
    </>
  )
}
