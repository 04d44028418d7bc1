import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { changeReview, type EntryReview } from '../../api/comments.ts'
import type { Person } from '../../api/entries.ts'
import type { ActedOn } from '../../api/entry-facts.ts'
import { ApiError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Choice } from '../../design/choice.tsx'
import { Dropdown, DropdownItem } from '../../design/menu.tsx'
import { SideSection } from '../../design/side-section.tsx'
import styles from '../../design/side-section.module.css'
import { type Action, useAction } from '../../design/use-action.ts'
import { useKeptFocus } from '../../design/use-kept-focus.ts'
import type { EntrySession } from '../../entry/entry-session.ts'
import { stageWord } from '../../texts/stage-word.ts'
import { useTexts } from '../../texts/texts.ts'
import { useLapse } from './use-lapse.ts'

export interface ReviewSectionProps {
  readonly session: EntrySession
  readonly entry: ActedOn
  readonly review: EntryReview
  readonly people: readonly Person[]
}

/** Not the id of an administrator. */
const NOBODY = ''

export function ReviewSection({ session, entry, review, people }: ReviewSectionProps) {
  const texts = useTexts()
  const { t } = texts
  const { stage, stages, publishesLastOnly } = review
  const { action, move, assign } = useReviewActions(session, entry)
  const box = useRef<HTMLDivElement>(null)
  useKeptFocus(box, 'button')
  useLapse(session, entry)
  const [first, second] = stages
  const last = stages.at(-1)?.name ?? stage
  return (
    <SideSection title={t('review.title')}>
      <div ref={box} role="region" aria-label={t('review.title')}>
        <StageRow review={review} onChoose={(name) => move({ stage: name })} />
        <AssigneeRow {...{ review, people }} onChoose={assign} />
        {publishesLastOnly && stage !== last && (
          <p className={styles['quiet']}>
            {t('review.required', { stage: stageWord(last, texts) })}
          </p>
        )}
        {stage === first?.name && second?.allowed === true && (
          <Ask {...{ people, action }} onAsk={(id) => move({ stage: second.name, assignee: id })} />
        )}
      </div>
    </SideSection>
  )
}

interface StageRowProps {
  readonly review: EntryReview
  readonly onChoose: (stage: string) => void
}

function StageRow({ review: { stage, stages }, onChoose }: StageRowProps) {
  const texts = useTexts()
  const label = texts.t('review.stage')
  const offered = stages
    .filter(({ name, allowed }) => allowed || name === stage)
    .map(({ name }) => ({ id: name, name: stageWord(name, texts) }))
  return (
    <div className={styles['row']}>
      <span>{label}</span>
      {offered.length > 1 ? (
        <Choice label={label} isInline options={offered} value={stage} onChange={onChoose} />
      ) : (
        <b>{stageWord(stage, texts)}</b>
      )}
    </div>
  )
}

interface AssigneeRowProps {
  readonly review: EntryReview
  readonly people: readonly Person[]
  readonly onChoose: (id: string | null) => void
}

function AssigneeRow({ review: { assignee, stages }, people, onChoose }: AssigneeRowProps) {
  const { t } = useTexts()
  const label = t('review.assignee')
  const nobody = { id: NOBODY, name: t('review.nobody') }
  const shown = assignee ?? nobody
  // The person may have lost the right to read the entry.
  const others = people.filter(({ id }) => id !== shown.id)
  const offered = assignee === null ? [nobody, ...people] : [nobody, assignee, ...others]
  return (
    <div className={styles['row']}>
      <span>{label}</span>
      {stages.some((stage) => stage.allowed) ? (
        <Choice
          label={label}
          isInline
          options={offered}
          value={shown.id}
          onChange={(id) => onChoose(id === NOBODY ? null : id)}
        />
      ) : (
        <b>{shown.name}</b>
      )}
    </div>
  )
}

interface AskProps {
  readonly people: readonly Person[]
  readonly action: Action
  readonly onAsk: (id: string) => void
}

function Ask({ people, action, onAsk }: AskProps) {
  const { t } = useTexts()
  return (
    <div className={styles['buttons']}>
      <Dropdown
        placement="bottom start"
        aria-label={t('review.ask')}
        trigger={
          <Button look="quiet" small isPending={action.isBusy}>
            {t('review.ask')}
          </Button>
        }
        onAction={(key) => onAsk(String(key))}
      >
        {people.map(({ id, name }) => (
          <DropdownItem key={id} id={id}>
            {name}
          </DropdownItem>
        ))}
      </Dropdown>
    </div>
  )
}

interface Move {
  readonly stage: string
  readonly assignee?: string
}

function useReviewActions(session: EntrySession, entry: ActedOn) {
  const { t } = useTexts()
  const action = useAction()
  const client = useQueryClient()
  const changes = {
    changes: ['comments'],
    onDone: () => void client.invalidateQueries({ queryKey: ['content', entry.uid, 'list'] }),
  }
  return {
    action,
    /** The stage is that of the shown values, so these are saved first. */
    move: (body: Move): void =>
      action.run(async () => {
        const { saver } = session
        if (!(await saver.saveNow())) throw new Error(t('entry.notSaved'))
        try {
          await changeReview(entry, body, saver.etag())
        } catch (error) {
          if (error instanceof ApiError && error.status === 412) await saver.refresh()
          throw error
        }
      }, changes),
    assign: (assignee: string | null): void =>
      action.run(() => changeReview(entry, { assignee }, null), changes),
  }
}
