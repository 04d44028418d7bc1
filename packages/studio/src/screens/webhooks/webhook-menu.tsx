import { useMay } from '../../api/session.ts'
import {
  endRotation,
  rotateSecret,
  saveWebhook,
  testWebhook,
  type Webhook,
  type WithSecret,
} from '../../api/webhooks.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Dropdown, DropdownItem } from '../../design/menu.tsx'
import { notify, notifyFailure } from '../../design/toasts.tsx'
import type { Action } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { reasonOf } from './reason-of.ts'

export interface WebhookMenuProps {
  readonly webhook: Webhook
  readonly action: Action
  readonly onEdit: () => void
  readonly onSecret: (webhook: WithSecret) => void
  readonly onDelete: () => void
}

export function WebhookMenu({ webhook, action, onEdit, onSecret, onDelete }: WebhookMenuProps) {
  const { t } = useTexts()
  const may = useMay()
  const { id, name, enabled, secretCount } = webhook
  const changes = ['webhooks']
  const mayChange = may('admin::webhooks.update')
  const trigger = (
    <Button look="quiet" square small aria-label={`${t('action.more')}: ${name}`}>
      <Icon name="more" />
    </Button>
  )
  const test = (): void =>
    action.run(() => testWebhook(id), {
      onDone: (attempt) => {
        if (attempt.error === null) {
          notify(t('webhook.tested', { status: attempt.status ?? 0, ms: attempt.ms }))
        } else notifyFailure(t('webhook.testFailed', { reason: reasonOf(attempt, t) }))
      },
    })
  if (!mayChange && !may('admin::webhooks.delete')) return null
  return (
    <Dropdown trigger={trigger} aria-label={name}>
      {mayChange ? <DropdownItem onAction={onEdit}>{t('settings.edit')}</DropdownItem> : null}
      {mayChange ? <DropdownItem onAction={test}>{t('webhook.test')}</DropdownItem> : null}
      {mayChange ? (
        <DropdownItem
          onAction={() => action.run(() => saveWebhook(id, { enabled: !enabled }), { changes })}
        >
          {t(enabled ? 'webhook.disable' : 'webhook.enable')}
        </DropdownItem>
      ) : null}
      {mayChange ? (
        <DropdownItem
          onAction={() => action.run(() => rotateSecret(id), { changes, onDone: onSecret })}
        >
          {t('webhook.rotate')}
        </DropdownItem>
      ) : null}
      {mayChange && secretCount > 1 ? (
        <DropdownItem
          onAction={() =>
            action.run(() => endRotation(id), { changes, says: t('webhook.rotationEnded') })
          }
        >
          {t('webhook.endRotation')}
        </DropdownItem>
      ) : null}
      {may('admin::webhooks.delete') ? (
        <DropdownItem tone="danger" onAction={onDelete}>
          {t('action.delete')}
        </DropdownItem>
      ) : null}
    </Dropdown>
  )
}
