import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '../../api/session.ts'
import {
  deliveriesQuery,
  type Delivery,
  DELIVERY_STATES,
  replayWebhook,
  type Webhook,
  WEBHOOKS_REFRESH_MS,
  webhooksQuery,
} from '../../api/webhooks.ts'
import { Button } from '../../design/button.tsx'
import { Choice } from '../../design/choice.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { useAction } from '../../design/use-action.ts'
import table from '../../design/data-table.module.css'
import { ScrollRegion } from '../../design/scroll-region.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './deliveries-dialog.module.css'
import { EntryLink } from './entry-link.tsx'
import { reasonOf } from './reason-of.ts'
import { ReplayForm } from './replay-form.tsx'

export interface DeliveriesDialogProps {
  readonly webhook: Webhook
  readonly onClose: () => void
}

const ANY_STATE = 'any'

export function DeliveriesDialog({ webhook, onClose }: DeliveriesDialogProps) {
  const { t } = useTexts()
  const [asked, ask] = useState<string>(ANY_STATE)
  const state = DELIVERY_STATES.find((one) => one === asked) ?? null
  // A response can turn the webhook off while its deliveries are shown.
  useQuery({ ...webhooksQuery, refetchInterval: WEBHOOKS_REFRESH_MS })
  const found = useInfiniteQuery(deliveriesQuery(webhook.id, state))
  const deliveries = found.data?.pages.flatMap(({ data }) => data)
  const options = [ANY_STATE, ...DELIVERY_STATES].map((id) => ({
    id,
    name: id === ANY_STATE ? t('webhook.anyState') : t(`webhook.state.${id as Delivery['state']}`),
  }))
  return (
    <Dialog
      title={t('webhook.deliveriesOf', { name: webhook.name })}
      isOpen
      onClose={onClose}
      form="large"
    >
      <div className={styles['bar']}>
        <Choice
          isInline
          label={t('webhook.state')}
          options={options}
          value={asked}
          onChange={ask}
        />
      </div>
      {deliveries === undefined && <Skeleton />}
      {deliveries?.length === 0 && (
        <Notice title={t('webhook.noDeliveries')}>{t('webhook.noDeliveriesHint')}</Notice>
      )}
      {deliveries !== undefined && deliveries.length > 0 && (
        <Deliveries webhook={webhook} deliveries={deliveries} />
      )}
      {found.hasNextPage && (
        <Button
          look="quiet"
          isPending={found.isFetchingNextPage}
          onPress={() => void found.fetchNextPage()}
        >
          {t('history.older')}
        </Button>
      )}
      <ReplayForm webhook={webhook} newest={deliveries?.[0]?.seq ?? null} />
    </Dialog>
  )
}

interface DeliveriesProps {
  readonly webhook: Webhook
  readonly deliveries: readonly Delivery[]
}

function Deliveries({ webhook, deliveries }: DeliveriesProps) {
  const { t, ago, moment } = useTexts()
  const may = useMay()
  const action = useAction()
  const mayReplay = may('admin::webhooks.update') && webhook.enabled
  const again = ({ seq }: Delivery): void =>
    action.run(() => replayWebhook(webhook.id, seq, seq), {
      changes: ['deliveries'],
      says: t('webhook.replaying'),
    })
  return (
    <ScrollRegion label={t('webhook.deliveries')} className={styles['scroll']}>
      <table className={`${table['table']} ${styles['table']}`}>
        <thead>
          <tr>
            <th scope="col">{t('webhook.event')}</th>
            <th scope="col">{t('webhook.commit')}</th>
            <th scope="col">{t('webhook.entry')}</th>
            <th scope="col">{t('webhook.when')}</th>
            <th scope="col">{t('webhook.result')}</th>
            <th scope="col">
              <span className={styles['unseen']}>{t('webhook.againShort')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <tr key={delivery.id}>
              <th scope="row">{delivery.event}</th>
              <td>{delivery.seq}</td>
              <td>
                <EntryLink
                  uid={delivery.type}
                  documentId={delivery.documentId}
                  locale={delivery.locale}
                />
              </td>
              <td title={moment(delivery.at)}>{ago(delivery.at)}</td>
              <td>
                <Result delivery={delivery} />
              </td>
              <td className={styles['end']}>
                {mayReplay && delivery.last !== null && (
                  <Button
                    look="quiet"
                    small
                    aria-label={t('webhook.again', {
                      event: delivery.event,
                      seq: String(delivery.seq),
                    })}
                    onPress={() => again(delivery)}
                  >
                    {t('webhook.againShort')}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

const TONES = { due: 'waiting', delivered: 'good', failed: 'bad' } as const

function Result({ delivery }: { readonly delivery: Delivery }) {
  const { t, moment } = useTexts()
  const { state, attempts, last, nextAttemptAt } = delivery
  const withheld = last?.withheld ?? null
  const notes = [
    last === null || last.error === null ? null : reasonOf(last, t),
    withheld === null ? null : t(`webhook.withheld.${withheld}`),
    attempts > 1 || state === 'failed' ? t('webhook.attempts', { count: attempts }) : null,
    nextAttemptAt === null || last === null
      ? null
      : t('webhook.next', { moment: moment(nextAttemptAt) }),
  ].filter((note) => note !== null)
  return (
    <>
      <span className={styles[TONES[state]]}>
        <span className={styles['dot']} aria-hidden="true" />
        {t(`webhook.state.${state}`)}
      </span>
      {notes.length > 0 && <span className={styles['note']}> · {notes.join(' · ')}</span>}
    </>
  )
}
