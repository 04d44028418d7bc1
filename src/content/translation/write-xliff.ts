import { escapeText } from './tagged-text.ts'
import {
  type FileEntry,
  type FileUnit,
  isTaggedUnit,
  type TranslationFile,
} from './translation-file.ts'

/** Characters that XML 1.0 cannot contain. */
const NO_XML = /(?![\t\n\r\u{7F}-\u{9F}])\p{Cc}|[\uFFFE\uFFFF]/gu

export function withoutControls(text: string): string {
  return text.replace(NO_XML, '')
}

/** XLIFF 1.2, https://docs.oasis-open.org/xliff/v1.2/os/xliff-core.html */
export function writeXliff({ entries }: TranslationFile): string {
  const files = entries.map(writeFile).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n${files}</xliff>\n`
}

function writeFile({ uid, documentId, from, to, revision, units }: FileEntry): string {
  const attributes = [
    ['original', `${uid}/${documentId}`],
    ['source-language', from],
    ['target-language', to],
    ['datatype', 'plaintext'],
    ['product-name', 'Quire'],
    ...(revision === null ? [] : [['build-num', revision] as const]),
  ] as const
  return `  <file ${writeAttributes(attributes)}>\n    <body>\n${units.map(writeUnit).join('')}    </body>\n  </file>\n`
}

function writeUnit({ id, label, maxLength, source, target }: FileUnit): string {
  const attributes = [
    ['id', id],
    ['xml:space', 'preserve'],
    ...(maxLength === undefined
      ? []
      : ([
          ['maxwidth', String(maxLength)],
          ['size-unit', 'char'],
        ] as const)),
  ] as const
  const text = (value: string): string => (isTaggedUnit(id) ? inText(value) : escapeXml(value))
  const translation =
    target === null
      ? '<target state="new"/>'
      : `<target state="translated">${text(target)}</target>`
  const note = label === undefined ? '' : `        <note>${escapeXml(label)}</note>\n`
  return `      <trans-unit ${writeAttributes(attributes)}>\n        <source>${text(source)}</source>\n        ${translation}\n${note}      </trans-unit>\n`
}

function writeAttributes(attributes: readonly (readonly [string, string])[]): string {
  return attributes
    .map(([name, value]) => `${name}="${escapeXml(value).replaceAll('"', '&quot;')}"`)
    .join(' ')
}

function escapeXml(text: string): string {
  return inText(escapeText(text))
}

/** Parsers replace a carriage return by a line feed. */
function inText(text: string): string {
  return withoutControls(text).replaceAll('\r', '&#13;')
}
