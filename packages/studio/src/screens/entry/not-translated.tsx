import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { FormPlan } from '../../entry/form-plan.ts'
import { apiNameOf, entryNameOf, listTitleOf } from '../../api/content-types.ts'
import { titlesQuery } from '../../api/entries.ts'
import { localeStatesQuery } from '../../api/entry-facts.ts'
import { Button } from '../../design/button.tsx'
import { Late } from '../../design/late.tsx'
import { Missing } from '../../design/missing.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { notifyFailure } from '../../design/toasts.tsx'
import { useTexts } from '../../texts/texts.ts'
import { beginLocale, mayBeginEmpty } from './begin-locale.ts'

export interface NotTranslatedProps {
  readonly plan: FormPlan
  readonly documentId: string
  readonly onBegun: () => void
}

export function NotTranslated({ plan, documentId, onBegun }: NotTranslatedProps) {
  const { t, language, locale: nameOf } = useTexts()
  const { data, isPending } = useQuery(localeStatesQuery(plan.type.uid, documentId))
  const [isBusy, busy] = useState(false)
  const { locale } = plan
  const others = (data ?? []).flatMap((one) => (one.locale === null ? [] : [one.locale]))
  const { data: titles } = useQuery({
    ...titlesQuery({
      uid: plan.type.uid,
      documentIds: [documentId],
      titleField: plan.declaration.titleField,
      locale: others[0] ?? null,
    }),
    enabled: others.length > 0,
  })
  if (isPending) return <Late>{null}</Late>
  if (locale === null || others.length === 0) {
    return <Missing />
  }
  const begin = async (from: string | null): Promise<void> => {
    busy(true)
    try {
      await beginLocale(plan, documentId, from)
      onBegun()
    } catch (error) {
      notifyFailure(error)
      busy(false)
    }
  }
  const actions = (
    <>
      {others.map((from, index) => (
        <Button
          key={from}
          autoFocus={index === 0}
          look="primary"
          isDisabled={isBusy}
          onPress={() => void begin(from)}
        >
          {t('entry.beginFrom', { name: nameOf(from) })}
        </Button>
      ))}
      {mayBeginEmpty(plan) && (
        <Button isDisabled={isBusy} onPress={() => void begin(null)}>
          {t('entry.beginEmpty')}
        </Button>
      )}
    </>
  )
  const { type } = plan
  const title = titles?.get(documentId) ?? entryNameOf(type, language)
  return (
    <Page title={title} note={nameOf(locale)} narrow>
      {type.kind === 'collectionType' && (
        <Link to="/content/$type" params={{ type: apiNameOf(type) }}>
          {listTitleOf(type)}
        </Link>
      )}
      <Notice title={t('entry.untranslated', { name: nameOf(locale) })} action={actions}>
        {t('entry.untranslated.hint')}
      </Notice>
    </Page>
  )
}
