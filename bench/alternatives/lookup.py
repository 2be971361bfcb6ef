"""What a team would write in an afternoon: one lookup, FastAPI with asyncpg on PostgreSQL."""

import os
from contextlib import asynccontextmanager

import asyncpg
from fastapi import FastAPI, HTTPException

FIND = f"select * from {os.environ['LOOKUP_TABLE']} where cin = $1"


@asynccontextmanager
async def lifespan(app: FastAPI):
    async with asyncpg.create_pool(os.environ["LOOKUP_DATABASE"], min_size=10, max_size=10) as pool:
        app.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)


@app.get("/companies/{cin}")
async def get_company(cin: str):
    row = await app.state.pool.fetchrow(FIND, cin)
    if row is None:
        raise HTTPException(status_code=404, detail="company not found")
    return dict(row)
