import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { moveSchedule, type Planned, type Schedule } from '../../api/schedules.ts'
import { notifyFailure } from '../../design/toasts.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { TIME_CHANGES } from '../planning/time-button.tsx'
import { type CalendarDay, onCalendarDay } from './calendar-days.ts'

/** Moves a schedule to the same time of another day, and shows it there before the response. */
export function useMoveSchedule(key: QueryKey): (schedule: Schedule, day: CalendarDay) => void {
  const { t, moment } = useTexts()
  const client = useQueryClient()
  const action = useAction()
  const show = (id: string, at: string): void => {
    client.setQueryData<Planned>(key, (planned) =>
      planned === undefined
        ? planned
        : {
            ...planned,
            schedules: planned.schedules.map((one) => (one.id === id ? { ...one, at } : one)),
          },
    )
  }
  return ({ id, at, failure }, day) => {
    const time = onCalendarDay(new Date(at), day)
    if (time.getTime() <= Date.now()) {
      notifyFailure(t('schedule.past'))
      return
    }
    const moved = time.toISOString()
    const move = async (): Promise<void> => {
      await client.cancelQueries({ queryKey: key })
      show(id, moved)
      try {
        await moveSchedule(id, moved)
      } catch (error) {
        show(id, at)
        throw error
      }
    }
    action.run(move, {
      changes: TIME_CHANGES,
      says: t('calendar.moved', { moment: moment(moved) }),
      ...(failure === null && { undo: () => () => moveSchedule(id, at) }),
    })
  }
}
