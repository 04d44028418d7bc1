import { findStates } from '../../../content/read/find-states.ts'
import { titlesOf } from '../../../content/read/overview.ts'
import type { Planning } from '../../../content/planning/open-planning.ts'
import type { ReleaseItem, ReleaseRow } from '../../../content/planning/release-rows.ts'
import { releaseNames } from '../../../content/planning/releases.ts'
import type { DocumentSchedule, ScheduleRow } from '../../../content/planning/schedule-rows.ts'
import { getSchedule } from '../../../content/planning/schedules.ts'
import { NO_LOCALE } from '../../../schema/no-locale.ts'
import { showSchedule } from '../../answer/show-schedule.ts'
import type { Context } from '../../router/state.ts'
import { maySee } from './readable-types.ts'

export async function namesOf(
  planning: Planning,
  rows: readonly ScheduleRow[],
): Promise<ReadonlyMap<string, string>> {
  const { documents, schema } = planning
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
    const titles = await titlesOf(documents.database, plan, [...unique.values()])
    for (const { _id, documentId, locales } of own) {
      const title = locales.map((locale) => titles.get(`${documentId}:${locale}`)).find(Boolean)
      if (title !== undefined) names.set(_id, title)
    }
  }
  return names
}

export async function summaryOf(planning: Planning, row: ReleaseRow): Promise<object> {
  const { _id: id, name, state, items, createdAt, updatedAt, createdBy, publishedAt } = row
  const schedule = state === 'scheduled' ? await getSchedule(planning, id) : null
  return {
    id,
    name,
    state,
    count: items.length,
    schedule: schedule === null ? null : showSchedule(schedule),
    createdAt,
    updatedAt,
    createdBy,
    publishedAt,
  }
}

export async function plannedItemsOf(
  { state: { principal } }: Context,
  { documents: { database }, schema }: Planning,
  items: readonly ReleaseItem[],
): Promise<readonly object[]> {
  const facts = new Map<string, { readonly title?: string; readonly state?: string }>()
  for (const type of new Set(items.map((item) => item.type))) {
    const plan = schema.contentTypes.get(type)
    if (plan === undefined) continue
    const lines = items.filter(
      (item) => item.type === type && maySee(principal, plan, plan.localized ? [item.locale] : []),
    )
    const titles = await titlesOf(database, plan, lines)
    for (const { documentId, locale, state } of await findStates(database, plan, lines)) {
      const line = `${documentId}:${locale}`
      facts.set(`${type} ${line}`, { title: titles.get(line) ?? '', state })
    }
  }
  return items.map(({ id, type, documentId, locale, action }) => {
    const { title = '', state = null } = facts.get(`${type} ${documentId}:${locale}`) ?? {}
    const own = locale === NO_LOCALE ? {} : { locale }
    return { id, uid: type, documentId, ...own, action, title, state }
  })
}
