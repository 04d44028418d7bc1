import { useState } from 'react'
import type { EntrySession } from '../../entry/entry-session.ts'
import { apiNameOf } from '../../api/content-types.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { notify } from '../../design/toasts.tsx'
import styles from '../../design/side-section.module.css'
import { SideSection } from '../../design/side-section.tsx'
import { useTexts } from '../../texts/texts.ts'
import sideStyles from './entry-side.module.css'
import { findEntry } from './load-form.ts'

export function AppView({
  session,
  documentId,
}: {
  readonly session: EntrySession
  readonly documentId: string
}) {
  const { plan } = session
  const { t } = useTexts()
  const [json, setJson] = useState<string | null>(null)
  const address = apiUrlOf(session, documentId)
  const line = `curl -g '${address}'`
  const show = async (): Promise<void> => {
    const published = {
      ...plan,
      query: { ...plan.query, status: plan.type.draftAndPublish ? 'published' : 'draft' },
    }
    const found = await findEntry(published, documentId)
    setJson(found === null ? t('side.apps.nothing') : JSON.stringify(found.entry, null, 2))
  }
  const copy = async (text: string): Promise<void> => {
    await navigator.clipboard.writeText(text)
    notify(t('action.copied'))
  }
  return (
    <SideSection title={t('side.apps')}>
      <code className={sideStyles['code']}>{line}</code>
      <div className={styles['buttons']}>
        <Button look="quiet" small onPress={() => void copy(line)}>
          {t('action.copy')}
        </Button>
        <Button look="quiet" small onPress={() => void show()}>
          {t('side.apps.json')}
        </Button>
      </div>
      <Dialog
        title={t('side.apps.json')}
        isOpen={json !== null}
        onClose={() => setJson(null)}
        form="wide"
      >
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
        <pre className={sideStyles['json']} tabIndex={0}>
          {json}
        </pre>
      </Dialog>
    </SideSection>
  )
}

function apiUrlOf({ plan }: EntrySession, documentId: string): string {
  const { type, locale } = plan
  const path = type.kind === 'singleType' ? apiNameOf(type) : `${apiNameOf(type)}/${documentId}`
  const query = locale === null ? '' : `locale=${locale}&`
  return `${location.origin}/api/${path}?${query}populate=*`
}
