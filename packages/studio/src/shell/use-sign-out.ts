import { useQueryClient } from '@tanstack/react-query'
import { signOut } from '../api/session.ts'
import { notifyFailure } from '../design/toasts.tsx'

export function useSignOut(): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    try {
      await signOut()
      client.clear()
      location.assign('/studio/sign-in')
    } catch (error) {
      notifyFailure(error)
    }
  }
}
