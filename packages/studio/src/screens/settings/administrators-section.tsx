import { useSuspenseQueries } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type Administrator,
  type AdministratorRole,
  administratorRolesQuery,
  administratorsQuery,
  at,
  manage,
} from '../../api/management.ts'
import { useMay, useSession } from '../../api/session.ts'
import { Avatar } from '../../design/avatar.tsx'
import { Button } from '../../design/button.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { Checkbox } from '../../design/checkbox.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { readUntrimmedText, readText } from '../../design/form-fields.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { SecretDialog } from '../../design/secret-dialog.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { AskToDelete } from '../../design/ask-to-delete.tsx'
import styles from '../../design/page-section.module.css'
import { PageSection } from '../../design/page-section.tsx'

interface MadeLink {
  readonly link: string
  readonly mailed: boolean
}

interface PasswordLink {
  readonly text: string
  /** Null: no mail was sent. */
  readonly mailedTo: string | null
}

export function AdministratorsSection() {
  const { t } = useTexts()
  const may = useMay()
  const me = useSession().administrator.id
  const [{ data: people }, { data: roles }] = useSuspenseQueries({
    queries: [administratorsQuery, administratorRolesQuery],
  })
  const action = useAction()
  const [edited, edit] = useState<Administrator | 'new' | null>(null)
  const [leaving, setLeaving] = useState<Administrator | null>(null)
  const [link, showLink] = useState<PasswordLink | null>(null)
  const invite = ({ id, email }: Administrator): void =>
    action.run(() => manage<MadeLink>('POST', at('administrators', id, 'reset')), {
      onDone: (made) => showLink({ text: made.link, mailedTo: made.mailed ? email : null }),
    })
  const nameOf = (type: string): string => roles.find((role) => role.type === type)?.name ?? type
  const add = may('admin::administrators.create') && (
    <Button onPress={() => edit('new')}>{t('settings.newAdministrator')}</Button>
  )
  return (
    <PageSection
      title={t('settings.administrators')}
      hint={t('settings.administratorsHint')}
      action={add}
    >
      <Rows label={t('settings.administrators')}>
        {people.map((person) => (
          <Row
            key={person.id}
            title={
              <>
                <Avatar name={person.name} />
                {person.name}
                {person.id === me && <span className={styles['tag']}>{t('palette.person')}</span>}
              </>
            }
            note={`${person.email} · ${person.roles.map(nameOf).join(', ')}`}
          >
            {may('admin::administrators.reset') && person.id !== me && (
              <>
                <ResetPassword onPress={() => invite(person)} />
                {person.hasTotp && <ResetTotp person={person} />}
              </>
            )}
            {may('admin::administrators.update') && (
              <Button look="quiet" small onPress={() => edit(person)}>
                {t('settings.edit')}
              </Button>
            )}
            {may('admin::administrators.delete') && person.id !== me && (
              <Button look="quiet" small onPress={() => setLeaving(person)}>
                {t('action.delete')}
              </Button>
            )}
          </Row>
        ))}
      </Rows>
      {edited !== null && (
        <PersonDialog
          person={edited === 'new' ? null : edited}
          isOwn={edited !== 'new' && edited.id === me && edited.hasPassword}
          roles={roles}
          onClose={() => edit(null)}
          onCreated={invite}
        />
      )}
      <SecretDialog
        title={t('settings.passwordLink')}
        secret={link?.text ?? null}
        onClose={() => showLink(null)}
      >
        <p>{t('settings.passwordLinkHint')}</p>
        {link !== null && link.mailedTo !== null && (
          <p>{t('settings.linkMailed', { email: link.mailedTo })}</p>
        )}
      </SecretDialog>
      <AskToDelete
        name={leaving?.name ?? null}
        hint={t('settings.deleteAdministratorHint')}
        onClose={() => setLeaving(null)}
        onDelete={() =>
          action.run(() => manage('DELETE', at('administrators', leaving?.id ?? '')), {
            changes: ['administrators'],
          })
        }
      />
    </PageSection>
  )
}

function ResetPassword({ onPress }: { readonly onPress: () => void }) {
  const { t } = useTexts()
  return (
    <Button look="quiet" small onPress={onPress}>
      {t('settings.passwordLink')}
    </Button>
  )
}

function ResetTotp({ person }: { readonly person: Administrator }) {
  const { t } = useTexts()
  const action = useAction()
  const [isAsking, setAsking] = useState(false)
  const reset = (): void => {
    setAsking(false)
    action.run(() => manage('DELETE', at('administrators', person.id, 'totp')), {
      changes: ['administrators'],
      says: t('totp.removed'),
    })
  }
  return (
    <>
      <Button look="quiet" small onPress={() => setAsking(true)}>
        {t('totp.reset')}
      </Button>
      <ConfirmDialog
        title={t('totp.resetTitle', { name: person.name })}
        isOpen={isAsking}
        confirm={t('totp.reset')}
        onClose={() => setAsking(false)}
        onConfirm={reset}
      >
        {t('totp.resetHint')}
      </ConfirmDialog>
    </>
  )
}

interface PersonDialogProps {
  readonly person: Administrator | null
  /** Asks for the current password, which is required to change one's own e-mail address. */
  readonly isOwn: boolean
  readonly roles: readonly AdministratorRole[]
  readonly onClose: () => void
  readonly onCreated: (person: Administrator) => void
}

function PersonDialog({ person, isOwn, roles, onClose, onCreated }: PersonDialogProps) {
  const { t } = useTexts()
  const action = useAction(['name', 'email', 'roles', 'currentPassword'])
  const [chosen, choose] = useState<readonly string[]>(person?.roles ?? ['editor'])
  const [isRoleMissing, missRole] = useState(false)
  const submit = (form: FormData): void => {
    const isMissing = person === null && chosen.length === 0
    missRole(isMissing)
    if (isMissing) return
    const [email, currentPassword] = [
      readText(form, 'email'),
      readUntrimmedText(form, 'currentPassword'),
    ]
    const isMoving = isOwn && email.toLowerCase() !== person?.email
    const body = {
      name: readText(form, 'name'),
      email,
      roles: chosen,
      ...(isMoving && currentPassword !== '' && { currentPassword }),
    }
    const path = person === null ? '/admin/administrators' : at('administrators', person.id)
    action.run(() => manage<Administrator>(person === null ? 'POST' : 'PUT', path, body), {
      changes: ['administrators', 'session'],
      onDone: (saved) => {
        onClose()
        if (person === null) onCreated(saved)
      },
    })
  }
  return (
    <FormDialog
      title={person?.name ?? t('settings.newAdministrator')}
      isOpen
      onClose={onClose}
      submit={t(person === null ? 'settings.create' : 'action.save')}
      isBusy={action.isBusy}
      problem={
        isRoleMissing && chosen.length === 0
          ? t('settings.roleMissing')
          : (action.problem ?? action.faultOf('roles') ?? null)
      }
      onSubmit={submit}
    >
      <TextInput
        label={t('settings.name')}
        name="name"
        defaultValue={person?.name ?? ''}
        autoFocus
        error={action.faultOf('name')}
      />
      <TextInput
        label={t('signIn.email')}
        name="email"
        type="email"
        defaultValue={person?.email ?? ''}
        error={action.faultOf('email')}
      />
      {isOwn && (
        <TextInput
          label={t('settings.currentPassword')}
          hint={t('settings.currentPasswordForEmail')}
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          error={action.faultOf('currentPassword')}
        />
      )}
      <div role="group" aria-label={t('settings.roles')}>
        <p className={styles['legend']}>{t('settings.roles')}</p>
        <div className={styles['options']}>
          {roles.map(({ type, name }) => (
            <Checkbox
              key={type}
              isSelected={chosen.includes(type)}
              onChange={(isChosen) =>
                choose(isChosen ? [...chosen, type] : chosen.filter((one) => one !== type))
              }
            >
              {name}
            </Checkbox>
          ))}
        </div>
      </div>
    </FormDialog>
  )
}
