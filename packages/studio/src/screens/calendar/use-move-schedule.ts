import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { moveSchedule, type Planned, type Schedule } from '../../api/schedules.ts'
import { notifyFailure } from '../../design/toasts.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { TIME_CHANGES } from '../planning/time-button.tsx'
import { type CalendarDay, onCalendarDay } from './calendar-days.ts'

/**
 * Moves a schedule to the same time of another day, and shows it there before the response. The moves
 * are sent one after the other, so that the last one counts.
 */
export function useMoveSchedule(key: QueryKey): (schedule: Schedule, day: CalendarDay) => void {
  const { t, moment } = useTexts()
  const client = useQueryClient()
  const action = useAction()
  const last = useRef<Promise<unknown>>(Promise.resolve())
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
      const sent = last.current.then(() => moveSchedule(id, moved))
      last.current = sent.catch(() => undefined)
      try {
        await sent
      } catch (error) {
        show(id, at)
        // It may be gone, or moved without a response.
        void client.invalidateQueries({ queryKey: key })
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
