import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { EntrySession } from '../../entry/entry-session.ts'
import { apiNameOf } from '../../api/content-types.ts'
import type { LocaleState } from '../../api/entry-facts.ts'
import { useLocales } from '../../api/locales.ts'
import { useMay, useSession } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Choice } from '../../design/choice.tsx'
import { lazyPart } from '../../design/load-part.tsx'
import { LoadBoundary } from '../../design/not-loaded.tsx'
import { SideSection } from '../../design/side-section.tsx'
import { StateMark } from '../../design/state-mark.tsx'
import styles from '../../design/side-section.module.css'
import { useTexts } from '../../texts/texts.ts'
import type { ShownLanguage } from './use-shown-language.ts'

const BeginDialog = lazyPart(async () => (await import('./begin-dialog.tsx')).BeginDialog)
const TranslateDialog = lazyPart(
  async () => (await import('../translation/translate-dialog.tsx')).TranslateDialog,
)

export interface LanguagesSectionProps {
  readonly session: EntrySession
  readonly states: readonly LocaleState[] | undefined
  readonly shown: ShownLanguage
}

export function LanguagesSection({ session, states, shown }: LanguagesSectionProps) {
  const { plan, door } = session
  const { t, locale: nameOf } = useTexts()
  const may = useMay()
  const locales = useLocales()
  const [isBeginning, begin] = useState(false)
  const params = { type: apiNameOf(plan.type), documentId: door.documentId() ?? '' }
  const missing =
    states === undefined
      ? []
      : locales.map(({ code }) => code).filter((code) => !hasLocale(states, code))
  const writable = missing.filter((code) => may(`${plan.type.uid}.update`, code))
  const existing = (states ?? []).flatMap(({ locale }) => locale ?? [])
  const to = plan.type.kind === 'singleType' ? '/content/$type' : '/content/$type/$documentId'
  const open = async (): Promise<void> => {
    await session.saver.saveNow()
    begin(true)
  }
  return (
    <SideSection title={t('side.languages')}>
      <ul>
        {locales.map(({ code }) => {
          const state = states?.find(({ locale }) => locale === code)?.state
          const name = nameOf(code)
          const isMissing = missing.includes(code)
          const isCurrent = code === plan.locale
          return (
            <li key={code} className={styles['row']}>
              {isCurrent && <b aria-current="true">{name}</b>}
              {!isCurrent && isMissing && <span>{name}</span>}
              {!isCurrent && !isMissing && (
                <Link to={to} params={params} search={{ locale: code }} className={styles['link']}>
                  {name}
                </Link>
              )}
              {state !== undefined && <StateMark state={state} />}
              {isMissing && !isCurrent && (
                <Link
                  to={to}
                  params={params}
                  search={{ locale: code }}
                  className={styles['action']}
                  aria-label={t('side.begin.named', { name })}
                >
                  {t('side.begin')}
                </Link>
              )}
            </li>
          )
        })}
      </ul>
      {writable.length > 1 && existing.length > 0 && (
        <div className={styles['buttons']}>
          <Button look="quiet" small onPress={() => void open()}>
            {t('begin.several')}
          </Button>
        </div>
      )}
      {existing.length > 0 && locales.length > 1 && (
        <Translate {...{ session, existing }} documentId={params.documentId} />
      )}
      {shown.codes.length > 0 && (
        <div className={styles['choice']}>
          <Choice
            label={t('beside.choose')}
            options={[
              { id: NONE, name: t('beside.none') },
              ...shown.codes.map((code) => ({ id: code, name: nameOf(code) })),
            ]}
            value={shown.code ?? NONE}
            onChange={(code) => shown.show(code === NONE ? null : code)}
          />
        </div>
      )}
      {isBeginning && (
        <LoadBoundary>
          <Suspense fallback={null}>
            <BeginDialog
              {...{ plan, existing }}
              documentId={params.documentId}
              missing={writable}
              onClose={() => begin(false)}
            />
          </Suspense>
        </LoadBoundary>
      )}
    </SideSection>
  )
}

interface TranslateProps {
  readonly session: EntrySession
  readonly documentId: string
  readonly existing: readonly string[]
}

/** From the default language, if it exists, into the shown one. */
function Translate({ session: { plan, saver }, documentId, existing }: TranslateProps) {
  const { t } = useTexts()
  const may = useMay()
  const { translator } = useSession()
  const locales = useLocales()
  const [isOpen, setOpen] = useState(false)
  const { declaration, locale } = plan
  if (translator === null || locale === null || !may(`${plan.type.uid}.update`)) return null
  const sources = locales.map(({ code }) => code).filter((code) => existing.includes(code))
  const from = sources[0] ?? locale
  const other = locales.find(({ code }) => code !== from)?.code ?? ''
  const open = async (): Promise<void> => {
    await saver.saveNow()
    setOpen(true)
  }
  return (
    <div className={styles['buttons']}>
      <Button look="quiet" small onPress={() => void open()}>
        {t('translation.translate', { name: translator })}
      </Button>
      {isOpen && (
        <LoadBoundary>
          <Suspense fallback={null}>
            <TranslateDialog
              list={{ declaration, locale, locales }}
              {...{ translator, sources, from }}
              documentIds={[documentId]}
              to={locale === from ? other : locale}
              onClose={() => setOpen(false)}
            />
          </Suspense>
        </LoadBoundary>
      )}
    </div>
  )
}

/** No locale code is empty. */
const NONE = ''

function hasLocale(states: readonly LocaleState[], code: string): boolean {
  return states.some(({ locale }) => locale === code)
}
