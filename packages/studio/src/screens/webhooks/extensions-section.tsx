import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { extensionFailuresQuery, type FollowingExtension } from '../../api/extensions.ts'
import { Button } from '../../design/button.tsx'
import { PageSection } from '../../design/page-section.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { type Texts, useTexts } from '../../texts/texts.ts'
import { FailedCallsDialog } from './failed-calls-dialog.tsx'

/** Empty for projects without an extension that follows commits. */
export function ExtensionsSection() {
  const texts = useTexts()
  const { t } = texts
  const { data } = useQuery(extensionFailuresQuery)
  const [watched, watch] = useState<string | null>(null)
  if (data === undefined || data.extensions.length === 0) return null
  return (
    <PageSection title={t('extension.title')} hint={t('extension.hint')}>
      <Rows label={t('extension.title')}>
        {data.extensions.map((one) => (
          <Row key={one.extension} title={one.extension} note={noteOf(one, texts)}>
            {one.dead > 0 && (
              <Button
                look="quiet"
                small
                aria-label={t('extension.failuresOf', { name: one.extension })}
                onPress={() => watch(one.extension)}
              >
                {t('extension.failures')}
              </Button>
            )}
          </Row>
        ))}
      </Rows>
      {watched !== null && (
        <FailedCallsDialog
          extension={watched}
          calls={data.failures.filter(({ extension }) => extension === watched)}
          onClose={() => watch(null)}
        />
      )}
    </PageSection>
  )
}

function noteOf({ behind, pending, dead, missed }: FollowingExtension, { t }: Texts): string {
  const notes = [
    dead > 0 && t('extension.failed', { count: dead }),
    pending > 0 && t('extension.pending', { count: pending }),
    behind > 0 && t('extension.behind', { count: behind }),
    missed !== null && t('webhook.missed', { from: missed.from, to: missed.to }),
  ].filter((note) => note !== false)
  return notes.length === 0 ? t('extension.upToDate') : notes.join(' · ')
}
