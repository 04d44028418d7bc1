import { useState } from 'react'
import type { PlannedAction } from '../../api/schedules.ts'
import { Choice } from '../../design/choice.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { readText } from '../../design/form-fields.tsx'
import { TextInput } from '../../design/text-input.tsx'
import type { Action } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { type LocalTime, localTimeOf, readLocalTime } from './local-time.ts'

export interface ScheduleDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The time of a schedule that changes. */
  readonly from?: string
  readonly actions: readonly PlannedAction[]
  readonly action: Action
  readonly onChoose: (chosen: { readonly action: PlannedAction; readonly at: string }) => void
}

/** Each opening starts without the input and the problem of the last one. */
export function ScheduleDialog(props: ScheduleDialogProps) {
  return props.isOpen && <OpenDialog {...props} />
}

function OpenDialog(props: ScheduleDialogProps) {
  const { isOpen, onClose, from, actions, action, onChoose } = props
  const { t } = useTexts()
  const [chosen, choose] = useState<PlannedAction>(actions[0] ?? 'publish')
  const [problem, setProblem] = useState<string | null>(null)
  const [typed, setTyped] = useState<string | null>(null)
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const isTwice = readLocalTime(typed ?? '')?.kind === 'twice'
  return (
    <FormDialog
      title={t(from === undefined ? 'schedule.title' : 'schedule.change')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t(from === undefined ? 'schedule.submit' : 'schedule.changeSubmit')}
      isBusy={action.isBusy}
      problem={problem ?? action.problem}
      onSubmit={(form) => {
        // The text of an unchanged time lacks its seconds, and occurs twice when clocks go back.
        const isSame = from !== undefined && typed === null
        const time = isSame ? exactly(from) : readLocalTime(readText(form, 'at'))
        const wrong = faultOf(time)
        setProblem(wrong === null ? null : t(wrong, { zone }))
        if (time !== null && wrong === null) {
          onChoose({ action: chosen, at: time.at.toISOString() })
        }
      }}
    >
      {actions.length > 0 && (
        <Choice
          label={t('schedule.action')}
          options={actions.map((id) => ({ id, name: t(`schedule.${id}`) }))}
          value={chosen}
          onChange={(id) => choose(id === 'unpublish' ? 'unpublish' : 'publish')}
        />
      )}
      <TextInput
        label={t('schedule.when')}
        name="at"
        type="datetime-local"
        {...(from !== undefined && { defaultValue: localTimeOf(new Date(from)) })}
        autoFocus
        hint={t(isTwice ? 'schedule.twice' : 'schedule.whenHint', { zone })}
        error={action.faultOf('data.at')}
        onChange={(text) => {
          setTyped(text)
          setProblem(null)
          action.reset()
        }}
      />
    </FormDialog>
  )
}

function exactly(at: string): LocalTime {
  return { at: new Date(at), kind: 'usual' }
}

function faultOf(time: LocalTime | null): 'schedule.past' | 'schedule.skipped' | null {
  if (time === null || time.at.getTime() <= Date.now()) return 'schedule.past'
  return time.kind === 'skipped' ? 'schedule.skipped' : null
}
