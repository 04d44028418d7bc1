import { useState } from 'react'
import { TextInput } from '../../../design/text-input.tsx'

export interface PixelInputProps {
  readonly label: string
  readonly value: number
  /** Called when the input is left, or with Enter. */
  readonly onChange: (pixels: number) => void
}

/** Whole pixels. Another text is dropped. */
export function PixelInput({ label, value, onChange }: PixelInputProps) {
  const [typed, type] = useState<string | null>(null)
  const take = (): void => {
    type(null)
    if (typed !== null && /^\d{1,9}$/.test(typed.trim())) onChange(Number(typed))
  }
  return (
    <TextInput
      label={label}
      inputMode="numeric"
      value={typed ?? String(value)}
      onChange={type}
      onBlur={take}
      onKeyDown={({ key }) => {
        if (key === 'Enter') take()
      }}
    />
  )
}
