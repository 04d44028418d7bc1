import { Checkbox } from './checkbox.tsx'
import type { Option } from './choice.tsx'
import styles from './choices.module.css'

export interface ChoicesProps {
  readonly label: string
  readonly options: readonly Option[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly error?: string | undefined
}

export function Choices({ label, options, chosen, onChange, error }: ChoicesProps) {
  return (
    <div role="group" aria-label={label}>
      <p className={styles['label']}>{label}</p>
      <div className={styles['options']}>
        {options.map(({ id, name }) => (
          <Checkbox
            key={id}
            isSelected={chosen.includes(id)}
            onChange={(isChosen) =>
              onChange(isChosen ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          >
            {name}
          </Checkbox>
        ))}
      </div>
      <p role="alert" className={styles['error']}>
        {error}
      </p>
    </div>
  )
}
