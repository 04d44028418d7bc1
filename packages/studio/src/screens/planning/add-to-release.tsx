import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  addToRelease,
  createRelease,
  type NewItem,
  type Release,
  releasesQuery,
} from '../../api/releases.ts'
import type { PlannedAction } from '../../api/schedules.ts'
import { Choice } from '../../design/choice.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { readText } from '../../design/form-fields.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'

export interface AddToReleaseProps {
  readonly entries: readonly Omit<NewItem, 'action'>[]
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onAdded?: () => void
}

const NEW_RELEASE_ID = 'new'

export function AddToRelease({ entries, isOpen, onClose, onAdded }: AddToReleaseProps) {
  const { t } = useTexts()
  const { data = [] } = useQuery({ ...releasesQuery, enabled: isOpen })
  const open = data.filter(({ state }) => state === 'open')
  const [chosen, choose] = useState<string | null>(null)
  const [verb, setVerb] = useState<PlannedAction>('publish')
  const action = useAction(['data.name'])
  const release = chosen ?? open[0]?.id ?? NEW_RELEASE_ID
  const add = async (name: string): Promise<Release> => {
    const id = release === NEW_RELEASE_ID ? (await createRelease(name)).id : release
    return addToRelease(
      id,
      entries.map((entry) => ({ ...entry, action: verb })),
    )
  }
  return (
    <FormDialog
      title={t('releases.addTitle', { count: entries.length })}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('action.add')}
      isBusy={action.isBusy}
      problem={action.problem}
      onSubmit={(form) =>
        action.run(() => add(readText(form, 'name')), {
          changes: ['releases'],
          says: t('releases.added', {
            name: open.find(({ id }) => id === release)?.name ?? readText(form, 'name'),
          }),
          onDone: () => {
            onClose()
            onAdded?.()
          },
        })
      }
    >
      <Choice
        label={t('releases.choose')}
        options={[
          ...open.map(({ id, name }) => ({ id, name })),
          { id: NEW_RELEASE_ID, name: t('releases.created') },
        ]}
        value={release}
        onChange={choose}
      />
      {release === NEW_RELEASE_ID && (
        <TextInput
          label={t('releases.name')}
          name="name"
          error={action.faultOf('data.name')}
          onChange={action.reset}
        />
      )}
      <Choice
        label={t('schedule.action')}
        options={(['publish', 'unpublish'] as const).map((id) => ({
          id,
          name: t(`schedule.${id}`),
        }))}
        value={verb}
        onChange={(id) => setVerb(id === 'unpublish' ? 'unpublish' : 'publish')}
      />
    </FormDialog>
  )
}
