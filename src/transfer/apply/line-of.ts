import { LINE_MEMBERS } from '../../content/bulk/bulk-line.ts'
import { uniqueAttributes } from '../../mongo/write/unique-values.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { SourceFile } from './source-files.ts'

/** A line of a bulk request, or a plain document. `key` or the first unique attribute replaces a documentId. */
export function lineOf(
  value: unknown,
  { plan, locale }: Pick<SourceFile, 'plan' | 'locale'>,
  key: string | null,
): unknown {
  if (plan === null || typeof value !== 'object' || value === null) return value
  const inFile = locale === null ? {} : { locale }
  const sent = value as Data
  if (isLine(sent)) return { op: 'upsert', type: plan.uid, ...inFile, ...sent }
  const { documentId, locale: own, status, ...data } = sent
  return {
    op: 'upsert',
    type: plan.uid,
    ...inFile,
    ...given('locale', own),
    ...given('status', status),
    ...addressOf(plan, documentId, data, key),
    data,
  }
}

function isLine(value: Data): boolean {
  const { op, data } = value
  const isUpsert = typeof data === 'object' && data !== null && !Array.isArray(data)
  return (isUpsert || op === 'delete') && Object.keys(value).every((name) => LINE_MEMBERS.has(name))
}

function addressOf(
  plan: ContentTypePlan,
  documentId: unknown,
  data: Data,
  key: string | null,
): Data {
  if (documentId !== undefined) return { documentId }
  if (plan.kind === 'singleType') return {}
  const names = uniqueAttributes(plan)
    .filter((attribute) => !attribute.private)
    .map(({ name }) => name)
  const name = key ?? names.find((each) => data[each] !== undefined && data[each] !== null)
  return name === undefined ? {} : { key: { [name]: data[name] } }
}

function given(name: string, value: unknown): Data {
  return value === undefined ? {} : { [name]: value }
}
