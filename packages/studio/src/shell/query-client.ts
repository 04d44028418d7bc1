import { QueryClient } from '@tanstack/react-query'
import { ApiError, isTooSlow } from '../api/request.ts'

const MAX_RETRIES = 2

/** Whether a retry may succeed. A refused request would be refused again. */
function isPassing(error: Error): boolean {
  if (!(error instanceof ApiError) || isTooSlow(error)) return false
  return error.status === 0 || error.status >= 502
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < MAX_RETRIES && isPassing(error),
    },
  },
})
