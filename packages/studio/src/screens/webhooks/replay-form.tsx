import { useMay } from '../../api/session.ts'
import { replayWebhook, type Webhook } from '../../api/webhooks.ts'
import { Button } from '../../design/button.tsx'
import { FormFields, readText } from '../../design/form-fields.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './deliveries-dialog.module.css'

export interface ReplayFormProps {
  readonly webhook: Webhook
  readonly newest: number | null
}

/** Sends the events of a range of commits again, including delivered ones. */
export function ReplayForm({ webhook, newest }: ReplayFormProps) {
  const { t } = useTexts()
  const may = useMay()
  const action = useAction(['from', 'to'])
  if (newest === null || !webhook.enabled || !may('admin::webhooks.update')) return null
  const submit = (form: FormData): void => {
    const to = readText(form, 'to')
    action.run(
      () =>
        replayWebhook(webhook.id, Number(readText(form, 'from')), to === '' ? null : Number(to)),
      { changes: ['deliveries'], says: t('webhook.replaying') },
    )
  }
  return (
    <FormFields problem={action.problem} onSubmit={submit}>
      <div className={styles['replay']}>
        <TextInput
          label={t('webhook.from')}
          name="from"
          type="number"
          defaultValue={String(newest)}
          error={action.faultOf('from')}
        />
        <TextInput
          label={t('webhook.to')}
          name="to"
          type="number"
          defaultValue={String(newest)}
          error={action.faultOf('to')}
        />
        <Button type="submit" isPending={action.isBusy}>
          {t('webhook.replay')}
        </Button>
      </div>
    </FormFields>
  )
}
