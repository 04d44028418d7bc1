import { Button } from '../../design/button.tsx'
import type { EntryTarget } from '../../entry/entry-target.ts'
import { useTexts } from '../../texts/texts.ts'
import { ChosenTarget } from './chosen-target.tsx'
import { EntrySearch } from './entry-search.tsx'
import styles from './link-form.module.css'
import { type LinkFormProps, removeLink, setLink } from './set-link.ts'

export interface TargetFormProps extends LinkFormProps {
  readonly target: EntryTarget | null
}

/** Choosing an entry sets the link. */
export function TargetForm({ editor, target, onDone }: TargetFormProps) {
  const { t } = useTexts()
  const remove = (): void => {
    removeLink(editor)
    onDone()
  }
  return (
    <div className={styles['entry']}>
      {target !== null && (
        <div className={styles['chosen']}>
          <ChosenTarget target={target} />
          <Button small onPress={remove}>
            {t('blocks.unlink')}
          </Button>
        </div>
      )}
      <EntrySearch
        onChoose={(entry, title) => {
          setLink(editor, { url: '', entry }, title)
          onDone()
        }}
      />
    </div>
  )
}
