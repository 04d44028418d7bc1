import { isRecord } from '../../base/is-record.ts'
import type { Reader } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Row } from './row.ts'

/** Replaces the addresses of private files, also of their formats, by signed ones. */
export async function signFiles(
  { uid }: Pick<ContentTypePlan, 'uid'>,
  rows: readonly Pick<Row, 'shown'>[],
  { addresses }: Pick<Reader, 'addresses'>,
): Promise<void> {
  if (uid !== 'plugin::upload.file' || addresses === undefined) return
  const sign = (holder: Data): Promise<string> | null =>
    typeof holder['url'] === 'string' ? addresses.sign(holder['url']) : null
  for (const { shown } of rows) {
    const url = sign(shown)
    if (url !== null) shown['url'] = await url
    if (isRecord(shown['formats'])) shown['formats'] = await signFormats(shown['formats'], sign)
  }
}

async function signFormats(
  formats: Data,
  sign: (holder: Data) => Promise<string> | null,
): Promise<Data> {
  const signed: Data = {}
  for (const [name, format] of Object.entries(formats)) {
    const url = isRecord(format) ? await sign(format) : null
    signed[name] = url === null || !isRecord(format) ? format : { ...format, url }
  }
  return signed
}
