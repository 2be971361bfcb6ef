"""Waiting for a job."""

from __future__ import annotations

import time

from . import types
from ._call import Operation, Options, Response
from ._errors import PanjiTimeoutError
from ._resource import AsyncResource, Resource

_GET_JOB = Operation("GET", "/v1/jobs/{id}")
_RUNNING = "running"
FIRST_POLL_SECONDS = 0.5
LONGEST_POLL_SECONDS = 10.0
WAIT_SECONDS = 3600.0


def _next_poll(seconds: float) -> float:
    return min(LONGEST_POLL_SECONDS, seconds * 1.5)


def _too_late(id: str, timeout: float) -> PanjiTimeoutError:
    return PanjiTimeoutError(f"{id} still runs after {timeout:g} seconds; it goes on")


class WaitForJobs(Resource):
    def wait(self, id: str, *, timeout: float = WAIT_SECONDS) -> Response[types.Job]:
        """Fetches a job, with growing pauses, for as long as it runs.

        The job that is returned is done, cancelled, failed or paused, or it awaits your approval: see its `status`.

        id: The id of the job.
        timeout: The seconds after which `PanjiTimeoutError` is raised. The job goes on.
        """
        end = time.monotonic() + timeout
        pause = FIRST_POLL_SECONDS
        while True:
            job: Response[types.Job] = self._client.call(_GET_JOB, {"id": id}, {}, None, Options())
            if job.data["status"] != _RUNNING:
                return job
            if time.monotonic() + pause > end:
                raise _too_late(id, timeout)
            self._client.sleep(pause)
            pause = _next_poll(pause)


class AsyncWaitForJobs(AsyncResource):
    async def wait(self, id: str, *, timeout: float = WAIT_SECONDS) -> Response[types.Job]:
        """Fetches a job, with growing pauses, for as long as it runs.

        The job that is returned is done, cancelled, failed or paused, or it awaits your approval: see its `status`.

        id: The id of the job.
        timeout: The seconds after which `PanjiTimeoutError` is raised. The job goes on.
        """
        end = time.monotonic() + timeout
        pause = FIRST_POLL_SECONDS
        while True:
            job: Response[types.Job] = await self._client.call(_GET_JOB, {"id": id}, {}, None, Options())
            if job.data["status"] != _RUNNING:
                return job
            if time.monotonic() + pause > end:
                raise _too_late(id, timeout)
            await self._client.sleep(pause)
            pause = _next_poll(pause)
