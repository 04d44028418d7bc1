import { writeRulesOf } from '../../../content/rules/principal-rules.ts'
import { factsOfLines, type LineFacts, lineKey } from '../../../content/read/visible-facts.ts'
import type { Principal } from '../../../people/access/principal.ts'
import type { Planning } from '../../../content/planning/open-planning.ts'
import type { ReleaseItem, ReleaseRow } from '../../../content/planning/release-rows.ts'
import { releaseNames } from '../../../content/planning/releases.ts'
import type { DocumentSchedule, ScheduleRow } from '../../../content/planning/schedule-rows.ts'
import { getSchedule } from '../../../content/planning/schedules.ts'
import { NO_LOCALE } from '../../../schema/no-locale.ts'
import { showSchedule } from '../../answer/show-schedule.ts'
import type { Context } from '../../router/state.ts'
import { maySeeUnderRule } from './readable-types.ts'
import { withShownFailures } from './shown-failures.ts'

/** Schedules of documents that the caller cannot see have no name. */
export async function namesOf(
  principal: Principal,
  planning: Planning,
  rows: readonly ScheduleRow[],
): Promise<ReadonlyMap<string, string>> {
  const { documents, schema, locales: known } = planning
  const rules = writeRulesOf(principal)
  const { defaultCode } = await known.current()
  const ofDocuments = rows.filter((row): row is DocumentSchedule => row.kind === 'document')
  const names = new Map(
    await releaseNames(
      planning,
      rows.filter(({ kind }) => kind === 'release'),
    ),
  )
  for (const type of new Set(ofDocuments.map((row) => row.type))) {
    const plan = schema.contentTypes.get(type)
    const own = ofDocuments.filter((row) => row.type === type)
    if (plan === undefined) continue
    const lines = own.flatMap(({ documentId, locales }) =>
      locales.map((locale) => ({ documentId, locale })),
    )
    const unique = new Map(lines.map((line) => [`${line.documentId}:${line.locale}`, line]))
    const asked = { plan, locale: defaultCode }
    const facts = await factsOfLines(documents, rules, asked, [...unique.values()])
    for (const { _id, documentId, locales } of own) {
      const found = locales.flatMap((locale) => facts.get(lineKey({ documentId, locale })) ?? [])
      if (found.length === 0) continue
      names.set(_id, found.find(({ title }) => title !== '')?.title ?? '')
    }
  }
  return names
}

export async function summaryOf(
  { state: { principal } }: Context,
  planning: Planning,
  row: ReleaseRow,
): Promise<object> {
  const { _id: id, name, state, items, createdAt, updatedAt, createdBy, publishedAt } = row
  const found = state === 'scheduled' ? await getSchedule(planning, id) : null
  const stored = found === null ? [] : [found]
  const [schedule] = await withShownFailures(principal, planning, stored)
  return {
    id,
    name,
    state,
    count: items.length,
    schedule: schedule === undefined ? null : showSchedule(schedule),
    createdAt,
    updatedAt,
    createdBy,
    publishedAt,
  }
}

export async function plannedItemsOf(
  { state: { principal } }: Context,
  { documents, schema, locales }: Planning,
  items: readonly ReleaseItem[],
): Promise<readonly object[]> {
  const shown = new Map<string, LineFacts>()
  const rules = writeRulesOf(principal)
  const { defaultCode } = await locales.current()
  for (const type of new Set(items.map((item) => item.type))) {
    const plan = schema.contentTypes.get(type)
    if (plan === undefined) continue
    const lines = items.filter(
      (item) =>
        item.type === type && maySeeUnderRule(principal, plan, plan.localized ? [item.locale] : []),
    )
    const facts = await factsOfLines(documents, rules, { plan, locale: defaultCode }, lines)
    for (const [line, found] of facts) shown.set(`${type} ${line}`, found)
  }
  return items.map(({ id, type, documentId, locale, action }) => {
    const found = shown.get(`${type} ${lineKey({ documentId, locale })}`)
    const { title, state } = found ?? { title: '', state: null }
    const own = locale === NO_LOCALE ? {} : { locale }
    return { id, uid: type, documentId, ...own, action, title, state }
  })
}
