import { useState } from 'react'
import { moveSchedule, type Schedule } from '../../api/schedules.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { ScheduleDialog } from './schedule-dialog.tsx'

/** The key prefixes of the queries with times of schedules. */
export const TIME_CHANGES = ['schedules', 'releases'] as const

export function TimeButton({ schedule }: { readonly schedule: Schedule }) {
  const { t } = useTexts()
  const action = useAction(['data.at'])
  const [isOpen, setOpen] = useState(false)
  const { id, at, failure } = schedule
  const close = (): void => {
    setOpen(false)
    action.reset()
  }
  return (
    <>
      <Button
        look="quiet"
        square
        small
        aria-label={t('schedule.change')}
        onPress={() => setOpen(true)}
      >
        <Icon name="calendar" size={14} />
      </Button>
      <ScheduleDialog
        isOpen={isOpen}
        onClose={close}
        from={at}
        actions={[]}
        action={action}
        onChoose={(chosen) =>
          action.run(() => moveSchedule(id, chosen.at), {
            changes: TIME_CHANGES,
            says: t('schedule.changed'),
            ...(failure === null && { undo: () => () => moveSchedule(id, at) }),
            onDone: close,
          })
        }
      />
    </>
  )
}
