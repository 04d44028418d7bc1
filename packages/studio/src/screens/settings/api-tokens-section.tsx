import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApiToken, apiTokensQuery, at, manage } from '../../api/management.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Dropdown, DropdownItem } from '../../design/menu.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Notice } from '../../design/notice.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { SecretDialog } from '../../design/secret-dialog.tsx'
import { useAction } from '../../design/use-action.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import { ApiTokenDialog } from './api-token-dialog.tsx'
import { AskToDelete } from '../../design/ask-to-delete.tsx'
import styles from '../../design/page-section.module.css'
import { PageSection } from '../../design/page-section.tsx'

interface Shown extends ApiToken {
  readonly accessKey: string
}

export function ApiTokensSection() {
  const texts = useTexts()
  const { t } = texts
  const may = useMay()
  const { data: tokens } = useSuspenseQuery(apiTokensQuery)
  const action = useAction()
  const [edited, edit] = useState<ApiToken | 'new' | null>(null)
  const [shown, show] = useState<Shown | null>(null)
  const [leaving, setLeaving] = useState<ApiToken | null>(null)
  const renew = (id: number): void =>
    action.run(() => manage<Shown>('POST', at('api-tokens', id, 'regenerate')), {
      changes: ['api-tokens'],
      onDone: show,
    })
  const add = may('admin::api-tokens.create') && (
    <Button onPress={() => edit('new')}>{t('settings.newToken')}</Button>
  )
  return (
    <PageSection
      title={t('settings.apiTokens')}
      hint={t('settings.apiTokensHint')}
      action={tokens.length > 0 && add}
    >
      {tokens.length === 0 ? (
        <Notice title={t('settings.noTokens')} action={add}>
          {t('settings.noTokensHint')}
        </Notice>
      ) : (
        <Rows label={t('settings.apiTokens')}>
          {tokens.map((token) => (
            <Row
              key={token.id}
              title={
                <>
                  {token.name}
                  <span className={styles['tag']}>{t(`token.${token.type}`)}</span>
                </>
              }
              note={noteOf(token, texts)}
            >
              <TokenMenu
                token={token}
                onEdit={() => edit(token)}
                onRenew={() => renew(token.id)}
                onDelete={() => setLeaving(token)}
              />
            </Row>
          ))}
        </Rows>
      )}
      {edited !== null && (
        <ApiTokenDialog
          token={edited === 'new' ? null : edited}
          onClose={() => edit(null)}
          onCreated={show}
        />
      )}
      <SecretDialog
        title={t('settings.tokenKey')}
        secret={shown?.accessKey ?? null}
        onClose={() => show(null)}
      >
        <p>{t('settings.tokenKeyHint')}</p>
      </SecretDialog>
      <AskToDelete
        name={leaving?.name ?? null}
        hint={t('settings.deleteTokenHint')}
        onClose={() => setLeaving(null)}
        onDelete={() =>
          action.run(() => manage('DELETE', at('api-tokens', leaving?.id ?? 0)), {
            changes: ['api-tokens'],
          })
        }
      />
    </PageSection>
  )
}

interface TokenMenuProps {
  readonly token: ApiToken
  readonly onEdit: () => void
  readonly onRenew: () => void
  readonly onDelete: () => void
}

function TokenMenu({ token, onEdit, onRenew, onDelete }: TokenMenuProps) {
  const { t } = useTexts()
  const may = useMay()
  const trigger = (
    <Button look="quiet" square small aria-label={`${t('action.more')}: ${token.name}`}>
      <Icon name="more" />
    </Button>
  )
  return (
    <Dropdown trigger={trigger} aria-label={token.name}>
      {may('admin::api-tokens.update') ? (
        <DropdownItem onAction={onEdit}>{t('settings.edit')}</DropdownItem>
      ) : null}
      {may('admin::api-tokens.regenerate') ? (
        <DropdownItem onAction={onRenew}>{t('settings.renewToken')}</DropdownItem>
      ) : null}
      {may('admin::api-tokens.delete') ? (
        <DropdownItem tone="danger" onAction={onDelete}>
          {t('action.delete')}
        </DropdownItem>
      ) : null}
    </Dropdown>
  )
}

function noteOf({ lastUsedAt, expiresAt }: ApiToken, { t, ago, moment }: Texts): string {
  const used =
    lastUsedAt === null ? t('token.neverUsed') : t('token.used', { ago: ago(lastUsedAt) })
  const expires = expiresAt === null ? null : t('token.expires', { moment: moment(expiresAt) })
  return [used, expires].filter((text) => text !== null).join(' · ')
}
