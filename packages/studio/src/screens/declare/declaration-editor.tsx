import { useSuspenseQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type DeclaredFile, declarationFilesQuery } from '../../api/declarations.ts'
import type { Fault } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { useTexts } from '../../texts/texts.ts'
import { AskToDelete } from '../../design/ask-to-delete.tsx'
import { PageSection } from '../../design/page-section.tsx'
import { AskToLeave } from './ask-to-leave.tsx'
import { AskToRemove } from './ask-to-remove.tsx'
import { AttributeDialog } from './attribute-dialog.tsx'
import { AttributeList } from './attribute-list.tsx'
import { changesOf } from './changes.ts'
import styles from './declare.module.css'
import { type Draft, type DraftAttribute, draftOf } from './draft.ts'
import { PlanDialog } from './plan-dialog.tsx'
import { FaultText } from './fault-text.tsx'
import { shownName } from './reference-fields.tsx'
import { TypeFields } from './type-fields.tsx'
import { useSaving } from './use-saving.ts'

export interface DeclarationEditorProps {
  readonly edited: string | Draft
  readonly onClose: () => void
}

export function DeclarationEditor({ edited, onClose }: DeclarationEditorProps) {
  const { t } = useTexts()
  const { data } = useSuspenseQuery(declarationFilesQuery)
  const [{ revision, files }] = useState(data) // the revision makes the server refuse concurrent edits
  const [first] = useState(() => firstDraft(edited, files))
  const [draft, setDraft] = useState(first)
  const [attribute, edit] = useState<DraftAttribute | null>(null)
  const [leaving, remove] = useState<DraftAttribute | null>(null)
  const [isDeleting, setDeleting] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const saving = useSaving(revision, onClose)
  const name = shownName(draft.rest, draft.uid)
  const isChanged = draft !== first || draft.isNew
  const setAttributes = (attributes: Draft['attributes']): void =>
    setDraft({ ...draft, attributes })
  const back = (
    <Button look="quiet" onPress={() => (isChanged ? setLeaving(true) : onClose())}>
      <Icon name="left" size={14} />
      {t('declare.back')}
    </Button>
  )
  const { faults } = saving
  const own = faults
    .filter(({ path }) => path[0] === draft.uid && path[1] === 'attributes')
    .map((fault) => ({ ...fault, path: fault.path.slice(2) }))
  const others = faults.filter(
    ({ path }) => !(path[0] === draft.uid && draft.attributes.some((one) => one.name === path[2])),
  )
  return (
    <PageSection title={t('declare.edit', { name })} hint={draft.uid} action={back}>
      <TypeFields draft={draft} onChange={setDraft} />
      <h3 className={styles['heading']}>{t('declare.attributes')}</h3>
      <AttributeList
        attributes={draft.attributes}
        faults={own}
        onChange={setAttributes}
        onEdit={edit}
        onRemove={remove}
      />
      <Button onPress={() => edit(newAttribute())}>
        <Icon name="plus" size={14} />
        {t('declare.add')}
      </Button>
      <EditorFoot faults={others} isBusy={saving.isBusy} isChanged={isChanged}>
        {!draft.isNew && (
          <Button look="quiet" onPress={() => setDeleting(true)}>
            {t('declare.deleteType', { name })}
          </Button>
        )}
        <Button
          look="primary"
          isDisabled={!isChanged}
          isPending={saving.isBusy}
          onPress={() => saving.save(changesOf(draft, files))}
        >
          {t('declare.write')}
        </Button>
      </EditorFoot>
      {attribute !== null && (
        <AttributeDialog
          {...{ draft, files, attribute }}
          onClose={() => edit(null)}
          onDone={(done) => {
            edit(null)
            setAttributes(put(draft.attributes, done))
          }}
        />
      )}
      <AskToRemove
        draft={draft}
        attribute={leaving}
        files={files}
        onClose={() => remove(null)}
        onRemove={(gone) => setAttributes(draft.attributes.filter(({ key }) => key !== gone.key))}
      />
      <AskToDelete
        name={isDeleting ? name : null}
        hint={t('declare.deleteHint')}
        onClose={() => setDeleting(false)}
        onDelete={() => saving.save({ [draft.uid]: null })}
      />
      <PlanDialog {...{ draft, files }} {...saving.asked} />
      <AskToLeave isOpen={isLeaving} onClose={() => setLeaving(false)} onLeave={onClose} />
    </PageSection>
  )
}

interface EditorFootProps {
  readonly faults: readonly Fault[]
  readonly isBusy: boolean
  readonly isChanged: boolean
  readonly children: ReactNode
}

function EditorFoot({ faults, isBusy, isChanged, children }: EditorFootProps) {
  const { t } = useTexts()
  return (
    <div className={styles['foot']}>
      <div className={styles['state']}>
        <div role="alert" className={styles['faults']}>
          {faults.map((fault) => (
            <p key={`${fault.path.join('.')} ${fault.message}`}>
              <FaultText fault={fault} />
            </p>
          ))}
        </div>
        <span role="status">
          {isBusy ? t('declare.starting') : isChanged && t('declare.unsaved')}
        </span>
      </div>
      {children}
    </div>
  )
}

function firstDraft(edited: string | Draft, files: readonly DeclaredFile[]): Draft {
  if (typeof edited !== 'string') return edited
  const file = files.find(({ uid }) => uid === edited)
  return draftOf(file ?? { uid: edited, kind: 'contentType', content: null })
}

let made = 0

function newAttribute(): DraftAttribute {
  made += 1
  const options = { type: 'string' }
  return {
    key: `new ${made}`,
    name: '',
    was: null,
    options,
    otherSide: null,
    values: [],
    chosenNames: {},
  }
}

function put(
  attributes: readonly DraftAttribute[],
  one: DraftAttribute,
): readonly DraftAttribute[] {
  return attributes.some(({ key }) => key === one.key)
    ? attributes.map((other) => (other.key === one.key ? one : other))
    : [...attributes, one]
}
