import { useState } from 'react'
import { listTitleOf, useTypes } from '../../api/content-types.ts'
import { useLocales } from '../../api/locales.ts'
import {
  saveWebhook,
  type Webhook,
  WEBHOOK_EVENTS,
  type WebhookInput,
  type WithSecret,
} from '../../api/webhooks.ts'
import { Checkbox } from '../../design/checkbox.tsx'
import { Choice, type Option } from '../../design/choice.tsx'
import { Choices } from '../../design/choices.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { readText } from '../../design/form-fields.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { type Action, useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { HeaderFields } from './header-fields.tsx'
import { useHeaders } from './use-headers.ts'

export interface WebhookDialogProps {
  readonly webhook: Webhook | null
  readonly onClose: () => void
  /** Receives the webhook with its secret, which the server returns only once. */
  readonly onCreated: (webhook: WithSecret) => void
}

type Wanted = Omit<WebhookInput, 'name' | 'url' | 'headers'>

const NEW: Wanted = {
  events: ['entry.publish', 'entry.unpublish'],
  types: null,
  locales: null,
  body: 'strapi',
  ordered: false,
}

export function WebhookDialog({ webhook, onClose, onCreated }: WebhookDialogProps) {
  const { t } = useTexts()
  const action = useAction(['name', 'url', 'events', 'types', 'locales', 'headers'], ['headers'])
  const headers = useHeaders(webhook?.headers)
  const [wanted, setWanted] = useState<Wanted>(webhook === null ? NEW : wantedOf(webhook))
  const submit = (form: FormData): void => {
    const sent = headers.send()
    if (sent === null) return
    const text = { name: readText(form, 'name'), url: readText(form, 'url') }
    const body = { ...wanted, ...text, headers: sent }
    action.run(() => saveWebhook(webhook?.id ?? null, body), {
      changes: ['webhooks'],
      onDone: ({ secret, ...saved }) => {
        onClose()
        if (secret !== undefined) onCreated({ ...saved, secret })
      },
    })
  }
  return (
    <FormDialog
      title={webhook?.name ?? t('webhook.new')}
      isOpen
      onClose={onClose}
      form="wide"
      submit={t(webhook === null ? 'settings.create' : 'action.save')}
      isBusy={action.isBusy}
      problem={action.problem}
      onSubmit={submit}
    >
      <TextInput
        label={t('settings.name')}
        name="name"
        defaultValue={webhook?.name ?? ''}
        autoFocus
        error={action.faultOf('name')}
      />
      <TextInput
        label={t('webhook.url')}
        name="url"
        defaultValue={webhook?.url ?? ''}
        mono
        hint={t('webhook.urlHint')}
        error={action.faultOf('url')}
        input={{ spellCheck: 'false' }}
      />
      <WantedFields
        wanted={wanted}
        action={action}
        onChange={(change) => setWanted({ ...wanted, ...change })}
      />
      <HeaderFields headers={headers} action={action} />
    </FormDialog>
  )
}

function wantedOf({ events, types, locales, body, ordered }: Webhook): Wanted {
  return { events, types, locales, body, ordered }
}

interface WantedFieldsProps {
  readonly wanted: Wanted
  readonly action: Action
  readonly onChange: (change: Partial<Wanted>) => void
}

function WantedFields({ wanted, action, onChange }: WantedFieldsProps) {
  const { t, locale: nameOf } = useTexts()
  const types = useTypes().filter(({ uid }) => uid.startsWith('api::'))
  const locales = useLocales()
  return (
    <>
      <Choices
        label={t('webhook.events')}
        options={WEBHOOK_EVENTS.map((id) => ({ id, name: id }))}
        chosen={wanted.events}
        onChange={(chosen) =>
          onChange({ events: WEBHOOK_EVENTS.filter((event) => chosen.includes(event)) })
        }
        error={action.faultOf('events')}
      />
      <SomeOrAll
        label={t('webhook.types')}
        options={types.map((type) => ({ id: type.uid, name: listTitleOf(type) }))}
        chosen={wanted.types}
        onChange={(chosen) => onChange({ types: chosen })}
        error={action.faultOf('types')}
      />
      {locales.length > 1 && (
        <SomeOrAll
          label={t('webhook.locales')}
          options={locales.map(({ code }) => ({ id: code, name: nameOf(code) }))}
          chosen={wanted.locales}
          onChange={(chosen) => onChange({ locales: chosen })}
          error={action.faultOf('locales')}
        />
      )}
      <Choice
        label={t('webhook.body')}
        options={(['strapi', 'thin'] as const).map((id) => ({ id, name: t(`webhook.body.${id}`) }))}
        value={wanted.body}
        onChange={(id) => onChange({ body: id === 'thin' ? 'thin' : 'strapi' })}
      />
      <Checkbox isSelected={wanted.ordered} onChange={(ordered) => onChange({ ordered })}>
        {t('webhook.ordered')}
      </Checkbox>
    </>
  )
}

interface SomeOrAllProps {
  readonly label: string
  readonly options: readonly Option[]
  /** Null: all, including new ones. */
  readonly chosen: readonly string[] | null
  readonly onChange: (chosen: readonly string[] | null) => void
  readonly error: string | undefined
}

function SomeOrAll({ label, options, chosen, onChange, error }: SomeOrAllProps) {
  const { t } = useTexts()
  return (
    <>
      <Choice
        label={label}
        options={[
          { id: 'all', name: t('webhook.all') },
          { id: 'some', name: t('webhook.chosen') },
        ]}
        value={chosen === null ? 'all' : 'some'}
        onChange={(id) => onChange(id === 'all' ? null : [])}
      />
      {chosen !== null && (
        <Choices
          label={`${label}: ${t('webhook.chosen')}`}
          options={options}
          chosen={chosen}
          onChange={onChange}
          error={error}
        />
      )}
    </>
  )
}
