import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { apiNameOf, type TypeSummary, useTypes } from '../../api/content-types.ts'
import { type FirstStep, type RecentEntry, showFirstSteps } from '../../api/recent.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './home-screen.module.css'

export interface FirstStepsProps {
  readonly steps: readonly FirstStep[]
  /** The type of the first entry. */
  readonly creatable: TypeSummary | undefined
  /** The latest entry of the user. */
  readonly latest: RecentEntry | undefined
}

export function FirstSteps({ steps, creatable, latest }: FirstStepsProps) {
  const { t } = useTexts()
  const action = useAction()
  if (steps.length === 0) return null
  const putAway = (): void =>
    action.run(() => showFirstSteps(false), {
      changes: ['content'],
      says: t('steps.wereHidden'),
      undo: () => () => showFirstSteps(true),
    })
  return (
    <section aria-label={t('steps.title')} className={styles['steps']}>
      <div className={styles['heading']}>
        <h2 className={styles['stepsTitle']}>{t('steps.title')}</h2>
        <Button look="quiet" small onPress={putAway}>
          {t('steps.hide')}
        </Button>
      </div>
      <ol>
        {steps.map(({ step, done }) => (
          <li key={step}>
            <StepLink step={step} creatable={creatable} latest={latest}>
              <span className={`${styles['tick']} ${done ? styles['done'] : ''}`}>
                {done && <Icon name="check" size={12} />}
              </span>
              <span className={styles['text']}>
                <span className={styles['name']}>
                  {t(`steps.${step}`)}
                  {done && <span className={styles['note']}> · {t('steps.done')}</span>}
                </span>
                <span className={styles['hint']}>{t(`steps.${step}.hint`)}</span>
              </span>
            </StepLink>
          </li>
        ))}
      </ol>
    </section>
  )
}

interface StepLinkProps extends Omit<FirstStepsProps, 'steps'> {
  readonly step: FirstStep['step']
  readonly children: ReactNode
}

function StepLink(props: StepLinkProps) {
  const { step, children } = props
  const className = styles['entry'] ?? ''
  if (step === 'media') {
    return (
      <Link to="/media" className={className}>
        {children}
      </Link>
    )
  }
  if (step === 'type' || step === 'app') {
    const section = step === 'type' ? 'types' : 'api-tokens'
    return (
      <Link to="/settings/$section" params={{ section }} className={className}>
        {children}
      </Link>
    )
  }
  return <EntryStepLink {...props} />
}

/** Opens the latest entry to publish it, otherwise the form of a new one. */
function EntryStepLink({ step, creatable, latest, children }: StepLinkProps) {
  const types = useTypes()
  const className = styles['entry'] ?? ''
  const written = step === 'publish' ? types.find(({ uid }) => uid === latest?.uid) : undefined
  if (written === undefined || latest === undefined) {
    if (creatable === undefined) return <span className={className}>{children}</span>
    const params = { type: apiNameOf(creatable), documentId: 'new' }
    return (
      <Link to="/content/$type/$documentId" params={params} className={className}>
        {children}
      </Link>
    )
  }
  const { documentId, locale } = latest
  const isSingle = written.kind === 'singleType'
  return (
    <Link
      to={isSingle ? '/content/$type' : '/content/$type/$documentId'}
      params={{ type: apiNameOf(written), documentId }}
      search={locale === null ? {} : { locale }}
      className={className}
    >
      {children}
    </Link>
  )
}
