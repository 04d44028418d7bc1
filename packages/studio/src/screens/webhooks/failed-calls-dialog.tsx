import { type FailedCall, retryFailures } from '../../api/extensions.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Notice } from '../../design/notice.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { EntryLink, SHOWN_ID_LENGTH } from './entry-link.tsx'

export interface FailedCallsDialogProps {
  readonly extension: string
  readonly calls: readonly FailedCall[]
  readonly onClose: () => void
}

const MAX_SHOWN_CALLS = 100

export function FailedCallsDialog({ extension, calls, onClose }: FailedCallsDialogProps) {
  const { t, moment } = useTexts()
  const may = useMay()
  const action = useAction()
  const mayRetry = may('admin::webhooks.update')
  const retry = (which: Parameters<typeof retryFailures>[0]): void =>
    action.run(() => retryFailures(which), {
      changes: ['extension-failures'],
      says: t('extension.retrying'),
    })
  const retryAll = mayRetry && calls.length > 0 && (
    <Button isPending={action.isBusy} onPress={() => retry({ extension })}>
      {t('extension.retryAll')}
    </Button>
  )
  return (
    <Dialog
      title={t('extension.failuresOf', { name: extension })}
      isOpen
      onClose={onClose}
      form="large"
      actions={retryAll}
    >
      {calls.length === 0 ? (
        <Notice title={t('extension.noFailures')}>{t('extension.noFailuresHint')}</Notice>
      ) : (
        <p>{t('extension.failuresHint')}</p>
      )}
      <Rows label={t('extension.failures')}>
        {calls.slice(0, MAX_SHOWN_CALLS).map(({ id, type, documentId, message, deadAt }) => (
          <Row
            key={id}
            title={<EntryLink uid={type} documentId={documentId} />}
            note={`${message} · ${moment(deadAt)}`}
          >
            {mayRetry && (
              <Button
                look="quiet"
                small
                aria-label={t('extension.retryOf', {
                  entry: documentId.slice(0, SHOWN_ID_LENGTH),
                })}
                onPress={() => retry({ id })}
              >
                {t('extension.retry')}
              </Button>
            )}
          </Row>
        ))}
      </Rows>
      {calls.length > MAX_SHOWN_CALLS && (
        <p>{t('audit.more', { count: calls.length - MAX_SHOWN_CALLS })}</p>
      )}
    </Dialog>
  )
}
