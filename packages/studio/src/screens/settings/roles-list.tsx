import { useState } from 'react'
import type { PermittedAction, Rule } from '../../api/management.ts'
import { Button } from '../../design/button.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { readText } from '../../design/form-fields.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { AskToDelete } from '../../design/ask-to-delete.tsx'
import type { Bounds } from './permissions/bounded-permissions.ts'
import { PermissionTable } from './permissions/permission-table.tsx'
import { RulesSection } from './rules/rules-section.tsx'
import { useEditedRules } from './rules/use-edited-rules.ts'
import type { RuleHolders } from './rules/variables.ts'
import { PageSection } from '../../design/page-section.tsx'

export interface ShownRole {
  readonly type: string
  readonly name: string
  readonly description: string
  readonly granted: readonly string[]
  readonly rules: readonly Rule[]
  readonly bounds?: Bounds
}

export interface RoleInput extends ShownRole {
  readonly isNew: boolean
}

export interface RolesListProps {
  readonly title: string
  readonly hint: string
  readonly roles: readonly ShownRole[]
  readonly actions: readonly PermittedAction[]
  readonly fixed: readonly string[]
  readonly kept: readonly string[]
  readonly holders: RuleHolders
  readonly isBound?: boolean
  readonly may: { readonly create: boolean; readonly update: boolean; readonly delete: boolean }
  readonly changes: readonly string[]
  readonly onSave: (role: RoleInput) => Promise<unknown>
  readonly onDelete: (type: string) => Promise<unknown>
}

export function RolesList(props: RolesListProps) {
  const { title, hint, roles, fixed, kept, may, changes, onDelete, isBound = false } = props
  const { t } = useTexts()
  const action = useAction()
  const [edited, edit] = useState<ShownRole | null>(null)
  const [leaving, setLeaving] = useState<ShownRole | null>(null)
  const fresh: ShownRole = {
    type: '',
    name: '',
    description: '',
    granted: [],
    rules: [],
    ...(isBound && { bounds: {} }),
  }
  const add = may.create && <Button onPress={() => edit(fresh)}>{t('settings.newRole')}</Button>
  return (
    <PageSection title={title} hint={hint} action={add}>
      <Rows label={title}>
        {roles.map((role) => (
          <Row
            key={role.type}
            title={role.name}
            note={role.description === '' ? role.type : role.description}
          >
            <Button look="quiet" small onPress={() => edit(role)}>
              {t(may.update && !fixed.includes(role.type) ? 'settings.edit' : 'settings.view')}
            </Button>
            {may.delete && !kept.includes(role.type) && (
              <Button look="quiet" small onPress={() => setLeaving(role)}>
                {t('action.delete')}
              </Button>
            )}
          </Row>
        ))}
      </Rows>
      {edited !== null && (
        <RoleDialog {...props} key={edited.type} role={edited} onClose={() => edit(null)} />
      )}
      <AskToDelete
        name={leaving?.name ?? null}
        hint={t('settings.deleteRoleHint')}
        onClose={() => setLeaving(null)}
        onDelete={() => action.run(() => onDelete(leaving?.type ?? ''), { changes })}
      />
    </PageSection>
  )
}

interface RoleDialogProps extends RolesListProps {
  readonly role: ShownRole
  readonly onClose: () => void
}

function RoleDialog(props: RoleDialogProps) {
  const { role, actions, fixed, holders, may, changes, onSave, onClose } = props
  const { t } = useTexts()
  const action = useAction(['name', 'type', 'description'], ['rules'])
  const rules = useEditedRules(role.rules, action)
  const [granted, setGranted] = useState<ReadonlySet<string>>(new Set(role.granted))
  const [bounds, setBounds] = useState(role.bounds)
  const isNew = role.type === ''
  const isReadOnly = !isNew && (!may.update || fixed.includes(role.type))
  const submit = (form: FormData): void => {
    const sent = rules.send()
    if (sent === null) return
    const name = readText(form, 'name')
    const changed = {
      type: isNew ? readText(form, 'type') : role.type,
      name,
      description: readText(form, 'description'),
      granted: [...granted],
      rules: sent,
      ...(bounds !== undefined && { bounds }),
      isNew,
    }
    action.run(() => onSave(changed), { changes, onDone: onClose, says: t('settings.saved') })
  }
  return (
    <FormDialog
      title={isNew ? t('settings.newRole') : role.name}
      isOpen
      onClose={onClose}
      form="wide"
      submit={isReadOnly ? undefined : t('action.save')}
      isBusy={action.isBusy}
      problem={rules.problem ?? action.problem}
      onSubmit={submit}
    >
      <TextInput
        label={t('settings.name')}
        name="name"
        defaultValue={role.name}
        isReadOnly={isReadOnly}
        autoFocus={isNew}
        error={action.faultOf('name')}
      />
      {isNew && (
        <TextInput
          label={t('settings.roleType')}
          name="type"
          mono
          hint={t('settings.roleTypeHint')}
          error={action.faultOf('type')}
        />
      )}
      <TextInput
        label={t('settings.description')}
        name="description"
        defaultValue={role.description}
        isReadOnly={isReadOnly}
        error={action.faultOf('description')}
      />
      <PermissionTable
        actions={actions}
        granted={granted}
        ruled={rules.actions}
        isReadOnly={isReadOnly}
        onChange={setGranted}
        bounds={bounds}
        onBounds={setBounds}
      >
        <RulesSection
          {...rules.section}
          holders={holders}
          actions={actions}
          granted={granted}
          isReadOnly={isReadOnly}
        />
      </PermissionTable>
    </FormDialog>
  )
}
