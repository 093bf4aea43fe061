"""The tables of journals in PostgreSQL, and the statements that read and write them."""

from __future__ import annotations

from ringtrue.journal._postgres_link import KEPT

FORMAT = 1
"""Version of the tables below, kept in `meta`; a newer one is refused."""

# Payloads are text: `jsonb` would write numbers and the order of keys anew, and the hashes would no longer fit. Times
# are seconds since 1970 for the same reason. The trigger raises: a rule that does nothing instead would be silent.
TABLES = f"""
CREATE SCHEMA IF NOT EXISTS ringtrue;
CREATE TABLE ringtrue.events (
    study    text             NOT NULL,
    sequence bigint           NOT NULL CHECK (sequence > 0),
    kind     text             NOT NULL,
    payload  text             NOT NULL,
    time     double precision NOT NULL,
    link     text             NOT NULL,
    nonce    text             NOT NULL,
    PRIMARY KEY (study, sequence)
);
CREATE INDEX studies ON ringtrue.events (study) WHERE sequence = 1;
CREATE TABLE ringtrue.linked_late (study text PRIMARY KEY, since bigint NOT NULL);
CREATE TABLE ringtrue.meta (format integer NOT NULL);
INSERT INTO ringtrue.meta VALUES ({FORMAT});
CREATE FUNCTION ringtrue.refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'append only: the events of a study are never changed or removed'; END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ringtrue.events
    FOR EACH STATEMENT EXECUTE FUNCTION ringtrue.refuse();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ringtrue.linked_late
    FOR EACH STATEMENT EXECUTE FUNCTION ringtrue.refuse();
"""
"""`nonce` is drawn for each append: one whose acknowledgement was lost is known again by it. `linked_late` holds the
studies whose first links were written later than their events, which a file of the first format may bring along."""

HAS_TABLES = """
SELECT count(*) = 2 FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace AS home ON home.oid = relnamespace
WHERE home.nspname = 'ringtrue' AND relname IN ('events', 'meta')
"""
"""Not by `to_regclass`, which may remember from before a lock was waited for that there was none."""

VERSION = "SELECT max(format) FROM ringtrue.meta"

GRANTS = (
    "GRANT USAGE ON SCHEMA ringtrue TO {role}",
    "GRANT SELECT, INSERT ON ringtrue.events, ringtrue.linked_late TO {role}",
    "GRANT SELECT ON ringtrue.meta TO {role}",
)
"""What a role needs to make studies and to work on them; none of it lets anything be changed or removed."""

TIP = """
SELECT extract(epoch FROM clock_timestamp())::float8, last.sequence, last.link FROM (SELECT 1) AS now
LEFT JOIN LATERAL (
    SELECT sequence, link FROM ringtrue.events WHERE study = %(study)s ORDER BY sequence DESC LIMIT 1
) AS last ON true
"""
"""The time by the clock of the server, which all writers share, and the last event."""

# One statement, which is all or nothing and needs no session. It waits for who has the study for itself; its snapshot
# is older than that wait, and then the key decides: never ON CONFLICT DO NOTHING, which loses events without a word.
WRITE = f"""
WITH durable AS MATERIALIZED (
    SELECT {KEPT} AS kept, set_config('lock_timeout', '30s', true) AS waits
), alone AS MATERIALIZED (
    SELECT pg_advisory_xact_lock(%(lock)s) FROM durable WHERE kept <> '' AND waits <> ''
), written AS (
    INSERT INTO ringtrue.events (study, sequence, kind, payload, time, link, nonce)
    SELECT %(study)s, %(expected)s + place, kind, payload, time, link, %(nonce)s
    FROM alone, unnest(%(kinds)s::text[], %(payloads)s::text[], %(times)s::float8[], %(links)s::text[])
        WITH ORDINALITY AS one (kind, payload, time, link, place)
    WHERE (SELECT coalesce(max(sequence), 0) FROM ringtrue.events WHERE study = %(study)s) = %(expected)s
    RETURNING sequence
)
SELECT count(*), pg_notify('ringtrue', %(study)s || ':' || max(sequence)) FROM written HAVING count(*) > 0
"""
"""The notice tells listeners to look sooner, and nothing rests on it."""

WRITTEN = """
SELECT count(*) FROM ringtrue.events
WHERE study = %(study)s AND sequence > %(expected)s AND sequence <= %(last)s AND nonce = %(nonce)s
"""

READ = """
SELECT sequence, kind, CASE WHEN sequence > %(after)s THEN payload ELSE '' END, time, link FROM ringtrue.events
WHERE study = %(study)s AND sequence >= %(after)s ORDER BY sequence LIMIT %(most)s::bigint
"""
"""With the event before the first, whose link they must follow."""

STUDIES = "SELECT study FROM ringtrue.events WHERE sequence = 1 ORDER BY study"

HISTORY = """
SELECT sequence, link, coalesce((SELECT since FROM ringtrue.linked_late WHERE study = %(study)s), 1)
FROM ringtrue.events WHERE study = %(study)s AND (%(at)s::bigint IS NULL OR sequence <= %(at)s::bigint)
ORDER BY sequence DESC LIMIT 1
"""

LINKED_LATE = "INSERT INTO ringtrue.linked_late VALUES (%(study)s, %(since)s)"
