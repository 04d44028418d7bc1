import type { Schedule } from '../../api/schedules.ts'
import { useMay } from '../../api/session.ts'

/** Whether the person may change the time of a schedule, in all its languages. */
export function useMayMove(): (schedule: Schedule) => boolean {
  const may = useMay()
  return ({ kind, uid = '', locales }) => {
    if (kind === 'release') return may('admin::releases.publish')
    const action = `${uid}.publish`
    return locales === undefined ? may(action) : locales.every((locale) => may(action, locale))
  }
}
