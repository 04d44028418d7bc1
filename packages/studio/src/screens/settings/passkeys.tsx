import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { at, manage } from '../../api/management.ts'
import {
  addPasskey,
  canUsePasskeys,
  type Passkey,
  PasskeyDeclined,
  passkeysQuery,
} from '../../api/passkeys.ts'
import { startQuery, useSession } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { FormFields, readUntrimmedText, readText } from '../../design/form-fields.tsx'
import { Icon } from '../../design/icon.tsx'
import { Dropdown, DropdownItem } from '../../design/menu.tsx'
import { Notice } from '../../design/notice.tsx'
import { Row, Rows } from '../../design/rows.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useAction } from '../../design/use-action.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import { AskToDelete } from './ask-to-delete.tsx'
import { SettingsSection } from './section.tsx'

/** The user's own passkeys. Hidden if the server or the browser does not support them. */
export function Passkeys() {
  const { data: start } = useQuery(startQuery)
  return start?.passkeys === true && canUsePasskeys() ? <Known /> : null
}

function Known() {
  const texts = useTexts()
  const { t } = texts
  const { data: passkeys = [] } = useQuery(passkeysQuery)
  const action = useAction()
  const [edited, edit] = useState<Passkey | 'new' | null>(null)
  const [leaving, setLeaving] = useState<Passkey | null>(null)
  const remove = (id: string): void =>
    action.run(() => manage('DELETE', at('me/passkeys', id)), { changes: ['passkeys'] })
  return (
    <SettingsSection
      title={t('passkey.title')}
      hint={t('passkey.hint')}
      action={<Button onPress={() => edit('new')}>{t('passkey.add')}</Button>}
    >
      {passkeys.length === 0 ? (
        <Notice title={t('passkey.none')}>{t('passkey.noneHint')}</Notice>
      ) : (
        <Rows label={t('passkey.title')}>
          {passkeys.map((passkey) => (
            <Row key={passkey.id} title={passkey.name} note={noteOf(passkey, texts)}>
              <Dropdown
                aria-label={passkey.name}
                trigger={
                  <Button
                    look="quiet"
                    square
                    small
                    aria-label={`${t('action.more')}: ${passkey.name}`}
                  >
                    <Icon name="more" />
                  </Button>
                }
              >
                <DropdownItem onAction={() => edit(passkey)}>{t('passkey.rename')}</DropdownItem>
                <DropdownItem tone="danger" onAction={() => setLeaving(passkey)}>
                  {t('action.delete')}
                </DropdownItem>
              </Dropdown>
            </Row>
          ))}
        </Rows>
      )}
      {edited === 'new' && <AddDialog onClose={() => edit(null)} />}
      {edited !== null && edited !== 'new' && (
        <RenameDialog passkey={edited} onClose={() => edit(null)} />
      )}
      <AskToDelete
        name={leaving?.name ?? null}
        hint={t('passkey.removeHint')}
        onClose={() => setLeaving(null)}
        onDelete={() => remove(leaving?.id ?? '')}
      />
    </SettingsSection>
  )
}

function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTexts()
  const { administrator } = useSession()
  const action = useAction(['name', 'currentPassword'])
  const add = async (form: FormData): Promise<void> => {
    const password = administrator.hasPassword ? readUntrimmedText(form, 'currentPassword') : null
    try {
      await addPasskey(readText(form, 'name'), password)
    } catch (error) {
      if (error instanceof PasskeyDeclined)
        throw new Error(t('passkey.cancelled'), { cause: error })
      throw error
    }
  }
  return (
    <Dialog
      title={t('passkey.add')}
      isOpen
      onClose={onClose}
      actions={
        <Button look="primary" type="submit" form="passkey" isPending={action.isBusy}>
          {t('passkey.add')}
        </Button>
      }
    >
      <FormFields
        id="passkey"
        problem={action.problem}
        onSubmit={(form) =>
          action.run(() => add(form), {
            changes: ['passkeys'],
            says: t('passkey.added'),
            onDone: onClose,
          })
        }
      >
        <TextInput
          label={t('settings.name')}
          name="name"
          isRequired
          autoFocus
          input={{ placeholder: t('passkey.nameHint') }}
          error={action.faultOf('name')}
        />
        {administrator.hasPassword && (
          <TextInput
            label={t('settings.currentPassword')}
            name="currentPassword"
            type="password"
            autoComplete="current-password"
            isRequired
            error={action.faultOf('currentPassword')}
          />
        )}
      </FormFields>
    </Dialog>
  )
}

function RenameDialog({
  passkey: { id, name },
  onClose,
}: {
  readonly passkey: Passkey
  readonly onClose: () => void
}) {
  const { t } = useTexts()
  const action = useAction(['name'])
  return (
    <Dialog
      title={name}
      isOpen
      onClose={onClose}
      actions={
        <Button look="primary" type="submit" form="passkey" isPending={action.isBusy}>
          {t('action.save')}
        </Button>
      }
    >
      <FormFields
        id="passkey"
        problem={action.problem}
        onSubmit={(form) =>
          action.run(() => manage('PUT', at('me/passkeys', id), { name: readText(form, 'name') }), {
            changes: ['passkeys'],
            onDone: onClose,
          })
        }
      >
        <TextInput
          label={t('settings.name')}
          name="name"
          defaultValue={name}
          autoFocus
          error={action.faultOf('name')}
        />
      </FormFields>
    </Dialog>
  )
}

function noteOf({ usedAt, backedUp }: Passkey, { t, ago }: Texts): string {
  const used = usedAt === null ? t('passkey.never') : t('passkey.used', { ago: ago(usedAt) })
  return [used, backedUp ? t('passkey.backedUp') : null].filter((text) => text !== null).join(' · ')
}
