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
import { FormDialog } from '../../design/form-dialog.tsx'
import { readUntrimmedText, readText } from '../../design/form-fields.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Dropdown, DropdownItem } from '../../design/menu.tsx'
import { NameDialog } from '../../design/name-dialog.tsx'
import { Notice } from '../../design/notice.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useAction } from '../../design/use-action.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import { AskToDelete } from '../../design/ask-to-delete.tsx'
import { PageSection } from '../../design/page-section.tsx'

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
    <PageSection
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
      {edited === 'new' && <AddPasskeyDialog onClose={() => edit(null)} />}
      {edited !== null && edited !== 'new' && (
        <NameDialog
          title={edited.name}
          name={edited.name}
          onClose={() => edit(null)}
          save={(name) => manage('PUT', at('me/passkeys', edited.id), { name })}
          changes={['passkeys']}
        />
      )}
      <AskToDelete
        name={leaving?.name ?? null}
        hint={t('passkey.removeHint')}
        onClose={() => setLeaving(null)}
        onDelete={() => remove(leaving?.id ?? '')}
      />
    </PageSection>
  )
}

export function AddPasskeyDialog({ onClose }: { readonly onClose: () => void }) {
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
    <FormDialog
      title={t('passkey.add')}
      isOpen
      onClose={onClose}
      submit={t('passkey.add')}
      isBusy={action.isBusy}
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
    </FormDialog>
  )
}

function noteOf({ usedAt, backedUp }: Passkey, { t, ago }: Texts): string {
  const used = usedAt === null ? t('passkey.never') : t('passkey.used', { ago: ago(usedAt) })
  return [used, backedUp ? t('passkey.backedUp') : null].filter((text) => text !== null).join(' · ')
}
