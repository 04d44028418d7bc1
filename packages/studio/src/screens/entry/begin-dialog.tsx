import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { factsKey } from '../../api/entry-facts.ts'
import { Choice } from '../../design/choice.tsx'
import { Choices } from '../../design/choices.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { notify } from '../../design/toasts.tsx'
import type { FormPlan } from '../../entry/form-plan.ts'
import { useTexts } from '../../texts/texts.ts'
import { beginLocale, mayBeginEmpty } from './begin-locale.ts'

export interface BeginDialogProps {
  readonly plan: FormPlan
  readonly documentId: string
  readonly existing: readonly string[]
  readonly missing: readonly string[]
  readonly onClose: () => void
}

const EMPTY = ''

/** Begins several languages of an entry. Languages that fail stay selected. */
export function BeginDialog({ plan, documentId, existing, missing, onClose }: BeginDialogProps) {
  const { t, locale: nameOf } = useTexts()
  const client = useQueryClient()
  const [left, setLeft] = useState(missing)
  const [chosen, choose] = useState(missing)
  const [from, setFrom] = useState(() =>
    plan.locale !== null && existing.includes(plan.locale) ? plan.locale : (existing[0] ?? EMPTY),
  )
  const [isBusy, setBusy] = useState(false)
  const [problem, tell] = useState<string | null>(null)
  const begin = async (): Promise<void> => {
    if (chosen.length === 0) return tell(t('begin.noneChosen'))
    setBusy(true)
    tell(null)
    const failures = new Map<string, string>()
    for (const code of chosen) {
      const target = { ...plan, locale: code, query: { ...plan.query, locale: code } }
      try {
        await beginLocale(target, documentId, from === EMPTY ? null : from)
      } catch (error) {
        failures.set(code, error instanceof Error ? error.message : String(error))
      }
    }
    setBusy(false)
    const begun = chosen.length - failures.size
    if (begun > 0) {
      notify(t('begin.done', { count: begun }))
      void client.invalidateQueries({ queryKey: factsKey(plan.type.uid, documentId) })
      void client.invalidateQueries({ queryKey: ['content', plan.type.uid, 'list'] })
      void client.invalidateQueries({ queryKey: ['counts'] })
    }
    if (failures.size === 0) return onClose()
    setLeft(left.filter((code) => failures.has(code) || !chosen.includes(code)))
    choose([...failures.keys()])
    tell([...failures].map(([code, why]) => `${nameOf(code)}: ${why}`).join(' '))
  }
  return (
    <FormDialog
      title={t('begin.title')}
      isOpen
      onClose={onClose}
      submit={t('begin.submit')}
      isBusy={isBusy}
      problem={problem}
      onSubmit={() => void begin()}
    >
      <Choice
        label={t('begin.from')}
        options={[
          ...existing.map((code) => ({ id: code, name: nameOf(code) })),
          ...(mayBeginEmpty(plan) ? [{ id: EMPTY, name: t('begin.empty') }] : []),
        ]}
        value={from}
        onChange={setFrom}
      />
      <Choices
        label={t('side.languages')}
        options={left.map((code) => ({ id: code, name: nameOf(code) }))}
        chosen={chosen}
        onChange={choose}
      />
    </FormDialog>
  )
}
