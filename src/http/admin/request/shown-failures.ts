import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../../base/is-record.ts'
import { shownInItem } from '../../../content/planning/check-items.ts'
import type { Planning } from '../../../content/planning/open-planning.ts'
import type { PlannedFailure } from '../../../content/planning/planned-action.ts'
import { releaseFaultsMessage } from '../../../content/planning/publish-release.ts'
import { type ReleaseItem, releasesIn } from '../../../content/planning/release-rows.ts'
import type { DocumentSchedule, ScheduleRow } from '../../../content/planning/schedule-rows.ts'
import { writeRulesOf } from '../../../content/rules/principal-rules.ts'
import { withShownErrors } from '../../../content/rules/shown-faults.ts'
import type { IsShown } from '../../../content/write-rules.ts'
import type { Principal } from '../../../people/access/principal.ts'
import { hiddenLines, type PlannedLine } from './hidden-lines.ts'

/** The failures that the author of a plan caused, cut to the attributes that the caller sees. */
export async function withShownFailures(
  principal: Principal,
  planning: Planning,
  rows: readonly ScheduleRow[],
): Promise<readonly ScheduleRow[]> {
  if (rows.every(({ failure }) => failure === null)) return rows
  const items = await itemsOf(planning, rows)
  const lines = rows.flatMap((row) =>
    row.kind === 'document' ? [failedLine(row)] : [...(items.get(row._id)?.values() ?? [])],
  )
  const hidden = await hiddenLines(principal, planning, lines)
  const hiddenKeys = new Set([...hidden].map(keyOf))
  const rules = writeRulesOf(principal)
  const shownIn = (line: PlannedLine): IsShown | null => {
    if (hiddenKeys.has(keyOf(line))) return null
    const plan = planning.schema.contentTypes.get(line.type)
    return plan === undefined ? () => true : shownInItem(rules, plan)
  }
  return rows.map((row) => {
    if (row.failure === null) return row
    if (row.kind === 'release') {
      const own = items.get(row._id) ?? new Map()
      return { ...row, failure: shownReleaseFailure(row.failure, own, shownIn) }
    }
    const isShown = shownIn(failedLine(row)) ?? (() => false)
    return { ...row, failure: withShownErrors(row.failure, isShown) }
  })
}

type Items = ReadonlyMap<string, ReleaseItem>

async function itemsOf(
  { documents: { database } }: Planning,
  rows: readonly ScheduleRow[],
): Promise<ReadonlyMap<string, Items>> {
  const ids = rows.flatMap(({ kind, failure, _id }) =>
    kind === 'release' && failure !== null ? [_id] : [],
  )
  if (ids.length === 0) return new Map()
  const found = await releasesIn(database)
    .find({ _id: { $in: ids } }, { projection: { items: 1 } })
    .toArray()
  return new Map(
    found.map(({ _id, items }) => [_id, new Map(items.map((item) => [item.id, item]))]),
  )
}

/** A failure of one of several locales names it. */
function failedLine({ type, documentId, locales, failure }: DocumentSchedule): PlannedLine {
  const details = failure?.details
  const named: unknown = isRecord(details) ? details['locale'] : undefined
  return { type, documentId, locale: typeof named === 'string' ? named : (locales[0] ?? '') }
}

function keyOf({ type, documentId, locale }: PlannedLine): string {
  return `${type} ${documentId} ${locale}`
}

/** Without the faults of hidden items. The message can be the one of a single item. */
function shownReleaseFailure(
  failure: PlannedFailure,
  items: Items,
  shownIn: (line: PlannedLine) => IsShown | null,
): PlannedFailure {
  const { details } = failure
  const errors: unknown = isRecord(details) ? details['errors'] : undefined
  if (failure.code !== 'release_faults' || !isRecord(details) || !Array.isArray(errors)) {
    return failure
  }
  const shown = errors.flatMap((error: unknown): readonly unknown[] => {
    const item = isRecord(error) ? items.get(String(error['item'])) : undefined
    const isShown = item === undefined ? null : shownIn(item)
    return isShown === null || !isItemFault(error) ? [] : [withShownErrors(error, isShown)]
  })
  if (isDeepStrictEqual(shown, errors)) return failure
  const message = releaseFaultsMessage(errors.length)
  return { ...failure, message, details: { ...details, errors: shown } }
}

function isItemFault(
  error: unknown,
): error is { readonly message: string; readonly details: unknown } {
  return isRecord(error) && typeof error['message'] === 'string' && 'details' in error
}
