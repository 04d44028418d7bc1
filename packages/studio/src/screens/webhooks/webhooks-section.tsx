import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '../../api/session.ts'
import { removeWebhook, type Webhook, webhooksQuery, type WithSecret } from '../../api/webhooks.ts'
import { Button } from '../../design/button.tsx'
import { Notice } from '../../design/notice.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { SecretDialog } from '../../design/secret-dialog.tsx'
import { useAction } from '../../design/use-action.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import { AskToDelete } from '../../design/ask-to-delete.tsx'
import styles from '../../design/page-section.module.css'
import { PageSection } from '../../design/page-section.tsx'
import { DeliveriesDialog } from './deliveries-dialog.tsx'
import { ExtensionsSection } from './extensions-section.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'
import { WebhookMenu } from './webhook-menu.tsx'

export function WebhooksSection() {
  const texts = useTexts()
  const { t } = texts
  const may = useMay()
  const { data: webhooks } = useSuspenseQuery(webhooksQuery)
  const action = useAction()
  const [edited, edit] = useState<Webhook | 'new' | null>(null)
  const [watchedId, watch] = useState<string | null>(null)
  const watched = webhooks.find(({ id }) => id === watchedId)
  const [shown, show] = useState<WithSecret | null>(null)
  const [leaving, setLeaving] = useState<Webhook | null>(null)
  const add = may('admin::webhooks.create') && (
    <Button onPress={() => edit('new')}>{t('webhook.new')}</Button>
  )
  return (
    <>
      <PageSection
        title={t('settings.webhooks')}
        hint={t('webhook.hint')}
        action={webhooks.length > 0 && add}
      >
        {webhooks.length === 0 ? (
          <Notice title={t('webhook.none')} action={add}>
            {t('webhook.noneHint')}
          </Notice>
        ) : (
          <Rows label={t('settings.webhooks')}>
            {webhooks.map((webhook) => (
              <Row
                key={webhook.id}
                title={<Title webhook={webhook} />}
                note={noteOf(webhook, texts)}
              >
                <Button
                  look="quiet"
                  small
                  aria-label={t('webhook.deliveriesOf', { name: webhook.name })}
                  onPress={() => watch(webhook.id)}
                >
                  {t('webhook.deliveries')}
                </Button>
                <WebhookMenu
                  webhook={webhook}
                  action={action}
                  onEdit={() => edit(webhook)}
                  onSecret={show}
                  onDelete={() => setLeaving(webhook)}
                />
              </Row>
            ))}
          </Rows>
        )}
        {edited !== null && (
          <WebhookDialog
            webhook={edited === 'new' ? null : edited}
            onClose={() => edit(null)}
            onCreated={show}
          />
        )}
        {watched !== undefined && (
          <DeliveriesDialog webhook={watched} onClose={() => watch(null)} />
        )}
        <SecretDialog
          title={t('webhook.secret')}
          secret={shown?.secret ?? null}
          onClose={() => show(null)}
        >
          <p>{t('webhook.secretHint')}</p>
          {shown !== null && shown.secretCount > 1 && <p>{t('webhook.bothSecrets')}</p>}
        </SecretDialog>
        <AskToDelete
          name={leaving?.name ?? null}
          hint={t('webhook.deleteHint')}
          onClose={() => setLeaving(null)}
          onDelete={() =>
            action.run(() => removeWebhook(leaving?.id ?? ''), { changes: ['webhooks'] })
          }
        />
      </PageSection>
      <ExtensionsSection />
    </>
  )
}

function Title({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTexts()
  const { name, enabled, disabledBecause } = webhook
  return (
    <>
      {name}
      {!enabled && (
        <span className={styles['tag']}>
          {t(disabledBecause === 'gone' ? 'webhook.gone' : 'webhook.off')}
        </span>
      )}
    </>
  )
}

function noteOf({ url, events, missed }: Webhook, { t }: Texts): string {
  const lost = missed === null ? null : t('webhook.missed', { from: missed.from, to: missed.to })
  return [url, events.join(', '), lost].filter((text) => text !== null).join(' · ')
}
