import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  actionsQuery,
  type ApiToken,
  type ApiTokenInput,
  at,
  manage,
} from '../../api/management.ts'
import { Choice } from '../../design/choice.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { readText } from '../../design/form-fields.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { type Action, useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { PermissionTable } from './permissions/permission-table.tsx'
import { RulesSection } from './rules/rules-section.tsx'
import { useEditedRules } from './rules/use-edited-rules.ts'

export interface ApiTokenDialogProps {
  readonly token: ApiToken | null
  readonly onClose: () => void
  /** Receives the token with its key, which the server returns only once. */
  readonly onCreated: (token: ApiToken & { readonly accessKey: string }) => void
}

function save(token: ApiToken | null, body: ApiTokenInput) {
  const path = token === null ? '/admin/api-tokens' : at('api-tokens', token.id)
  return manage<ApiToken & { readonly accessKey?: string }>(
    token === null ? 'POST' : 'PUT',
    path,
    body,
  )
}

const TYPES = ['read-only', 'custom', 'full-access'] as const
const LIFESPANS = ['7', '30', '90', '365', 'none'] as const

export function ApiTokenDialog({ token, onClose, onCreated }: ApiTokenDialogProps) {
  const { t } = useTexts()
  const action = useAction(['name', 'description'], ['rules'])
  const rules = useEditedRules(token?.rules, action)
  const [type, setType] = useState<ApiToken['type']>(token?.type ?? 'read-only')
  const [lifespan, setLifespan] = useState(String(token?.lifespanDays ?? 'none'))
  const [granted, setGranted] = useState<ReadonlySet<string>>(new Set(token?.permissions))
  const actions = useQuery(actionsQuery).data ?? []
  const spans = [...new Set([...LIFESPANS, lifespan])]
  const submit = (form: FormData): void => {
    const sent = type === 'custom' ? rules.send() : []
    if (sent === null) return
    const body: ApiTokenInput = {
      name: readText(form, 'name'),
      description: readText(form, 'description'),
      type,
      permissions: type === 'custom' ? [...granted] : [],
      rules: sent,
      lifespanDays: lifespan === 'none' ? null : Number(lifespan),
    }
    action.run(() => save(token, body), {
      changes: ['api-tokens'],
      onDone: (saved) => {
        onClose()
        if (saved.accessKey !== undefined) onCreated({ ...saved, accessKey: saved.accessKey })
      },
    })
  }
  return (
    <FormDialog
      title={token?.name ?? t('settings.newToken')}
      isOpen
      onClose={onClose}
      form={type === 'custom' ? 'wide' : 'small'}
      submit={t(token === null ? 'settings.create' : 'action.save')}
      isBusy={action.isBusy}
      problem={rules.problem ?? action.problem}
      onSubmit={submit}
    >
      <TokenNameFields token={token} action={action} />
      <Choice
        label={t('token.type')}
        options={TYPES.map((id) => ({ id, name: t(`token.${id}`) }))}
        value={type}
        onChange={(id) => setType(TYPES.find((one) => one === id) ?? 'read-only')}
      />
      <Choice
        label={t('token.lifespan')}
        options={spans.map((id) => ({
          id,
          name: id === 'none' ? t('token.forGood') : t('token.days', { count: Number(id) }),
        }))}
        value={lifespan}
        onChange={setLifespan}
      />
      {type === 'custom' && (
        <PermissionTable
          actions={actions}
          granted={granted}
          ruled={rules.actions}
          onChange={setGranted}
        >
          <RulesSection {...rules.section} holders="tokens" actions={actions} granted={granted} />
        </PermissionTable>
      )}
    </FormDialog>
  )
}

function TokenNameFields({
  token,
  action,
}: {
  readonly token: ApiToken | null
  readonly action: Action
}) {
  const { t } = useTexts()
  return (
    <>
      <TextInput
        label={t('settings.name')}
        name="name"
        defaultValue={token?.name ?? ''}
        autoFocus
        error={action.faultOf('name')}
      />
      <TextInput
        label={t('settings.description')}
        name="description"
        defaultValue={token?.description ?? ''}
        error={action.faultOf('description')}
      />
    </>
  )
}
