import { type BatchView, keyedDocumentId, readView } from '../../content/bulk/batch-view.ts'
import { type Key, parseBulkLine, type UpsertLine } from '../../content/bulk/bulk-line.ts'
import { dropTargets, type NamedTarget } from '../../content/bulk/relation-targets.ts'
import type { BulkRun, SentLine } from '../../content/bulk/run-lines.ts'
import { CmsError } from '../../base/errors.ts'
import { valueKey } from '../../mongo/write/find-by-unique.ts'
import { uniqueValues } from '../../mongo/write/unique-values.ts'
import type { Data } from '../../schema/definition.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

export type Missing = ReadonlySet<string>

export interface WaitingLine {
  readonly names: readonly string[]
  readonly missing: Missing
}

export async function findWaiting(
  { context, rules, writer, trial }: BulkRun,
  lines: readonly SentLine[],
): Promise<ReadonlyMap<number, WaitingLine>> {
  const upserts = lines.flatMap((sent) => {
    const line = parse(sent, rules)
    return line === null ? [] : [{ number: sent.line, line }]
  })
  const view = await readView(
    context,
    upserts.map(({ line }) => line),
    writer,
    { trial },
  )
  const waiting = new Map<number, WaitingLine>()
  for (const { number, line } of upserts) {
    waiting.set(number, { names: namesOf(line), missing: await missingOf(view, line) })
  }
  return waiting
}

export function keepMutual<K>(waiting: ReadonlyMap<K, WaitingLine>): ReadonlyMap<K, WaitingLine> {
  let kept = waiting
  for (;;) {
    const promised = new Set([...kept.values()].flatMap(({ names }) => names))
    const next = new Map(
      [...kept].filter(([, { missing }]) => [...missing].every((name) => promised.has(name))),
    )
    if (next.size === kept.size) return kept
    kept = next
  }
}

/** The result is a draft if the type has drafts, because incomplete documents are not published. */
export function withoutMissing(
  { rules }: BulkRun,
  sent: SentLine,
  missing: Missing,
): SentLine | null {
  const line = parse(sent, rules)
  if (line === null) return null
  const { plan } = line
  const data = dropTargets(plan, line.data, (target, named) =>
    missing.has(targetKey(target, named, localeOf(line))),
  )
  const given = 'value' in sent.sent ? (sent.sent.value as Data) : {}
  const value = { ...given, ...(plan.draftAndPublish && { status: 'draft' }), data }
  return { line: sent.line, sent: { value } }
}

function parse({ sent }: SentLine, rules: BulkRun['rules']): UpsertLine | null {
  if ('error' in sent) return null
  return unlessFaulty(() => {
    const line = parseBulkLine(sent.value, rules)
    return line.op === 'upsert' ? line : null
  })
}

async function missingOf(view: BatchView, line: UpsertLine): Promise<Missing> {
  const named: { readonly target: ContentTypePlan; readonly by: NamedTarget }[] = []
  unlessFaulty(() =>
    dropTargets(line.plan, line.data, (target, by) => {
      named.push({ target, by })
      return false
    }),
  )
  const missing = new Set<string>()
  for (const { target, by } of named) {
    const isHere =
      'key' in by
        ? unlessFaulty(() => view.find(target, by.key, localeOf(line)) ?? '') !== ''
        : (await view.targets.existing(target, NO_TARGETS)).documentIds.has(by.documentId)
    if (!isHere) missing.add(targetKey(target, by, localeOf(line)))
  }
  return missing
}

const NO_TARGETS = { documentIds: new Set<string>(), ids: new Set<number>() }

function namesOf(line: UpsertLine): readonly string[] {
  const { plan, address, data } = line
  const locale = localeOf(line)
  const values = uniqueValues(plan, data).map((key) => targetKey(plan, { key }, locale))
  if ('documentId' in address) return [targetKey(plan, address, locale), ...values]
  const documentId = keyedDocumentId(plan, address.key, line.version.locale)
  return [targetKey(plan, address, locale), targetKey(plan, { documentId }, locale), ...values]
}

function targetKey(
  { uid, localized }: ContentTypePlan,
  named: NamedTarget,
  locale: string,
): string {
  if ('documentId' in named) return JSON.stringify([uid, named.documentId])
  const { attribute, value }: Key = named.key
  const place = localized && attribute.localized ? locale : NO_LOCALE
  return JSON.stringify([uid, attribute.name, place, valueKey(attribute, value)])
}

function localeOf({ version, ownersLocale }: UpsertLine): string {
  return version.locale === NO_LOCALE ? ownersLocale : version.locale
}

function unlessFaulty<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof CmsError) return null // its line reports it when it is processed
    throw error
  }
}
