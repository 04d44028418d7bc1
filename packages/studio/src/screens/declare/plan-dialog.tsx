import type { DeclaredFile, DeclarationPlan, PlannedConversion } from '../../api/declarations.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './declare.module.css'
import type { Draft } from './draft.ts'
import { shownName } from './reference-fields.tsx'
import { renamesOf } from './value-renames.ts'

export interface PlanDialogProps {
  readonly draft: Draft
  readonly files: readonly DeclaredFile[]
  /** Null while no plan is shown. */
  readonly plan: DeclarationPlan | null
  readonly onClose: () => void
  readonly onConfirm: () => void
}

/** The effects on stored values, before the files are written. */
export function PlanDialog({ draft, files, plan, onClose, onConfirm }: PlanDialogProps) {
  const { t } = useTexts()
  return (
    <Dialog
      title={t('declare.planTitle')}
      isOpen={plan !== null}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{t('action.cancel')}</Button>
          <Button look="primary" onPress={onConfirm}>
            {t('declare.write')}
          </Button>
        </>
      }
    >
      <p>{t('declare.planHint')}</p>
      <ul className={styles['plan']}>
        {plan?.retyped.map((one) => (
          <PlannedChange key={`${one.uid} ${one.name}`} {...{ one, draft, files }} />
        ))}
      </ul>
    </Dialog>
  )
}

interface PlannedChangeProps {
  readonly one: PlannedConversion
  readonly draft: Draft
  readonly files: readonly DeclaredFile[]
}

function PlannedChange({ one, draft, files }: PlannedChangeProps) {
  const { t } = useTexts()
  const { uid, name, from, to } = one
  const attribute = uid === draft.uid && draft.attributes.find((other) => other.name === name)
  const renames = Object.entries(attribute ? renamesOf(attribute) : {})
  const file = files.find((other) => other.uid === uid)
  const holder = shownName(uid === draft.uid ? draft.rest : (file?.content ?? {}), uid)
  return (
    <li>
      <strong>{t('declare.planPlace', { holder, name })}</strong>
      {renames.length === 0 && <span>{t('declare.planType', { from, to })}</span>}
      {renames.map(([older, newer]) => (
        <span key={older}>
          {newer === null
            ? t('declare.planRemoved', { value: older })
            : t('declare.planRenamed', { older, newer })}
        </span>
      ))}
      <Effects {...one} />
    </li>
  )
}

function Effects({ values, rewritten, lost, conversion, stored }: PlannedConversion) {
  const { t } = useTexts()
  if (rewritten + lost === 0) return <span>{t('declare.planFits', { of: values })}</span>
  const isKept = conversion === 'none'
  return (
    <>
      {rewritten > 0 && <span>{t('declare.planRewritten', { count: rewritten, of: values })}</span>}
      {lost > 0 && (
        <span>
          {isKept
            ? t('declare.planHidden', { count: lost, of: values, name: stored })
            : t('declare.planLost', { count: lost, of: values })}
        </span>
      )}
    </>
  )
}
