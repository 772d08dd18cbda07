package dev.kron.fleet.postgres;

/**
 * The statements. Each is committed by itself. Those that write begin with the node's own row: only
 * the session that it names may write, one write after the other, and each is counted there.
 *
 * <p>Rows of jobs are locked in the order of their identities, so that nobody waits in a circle;
 * claims wait for nobody and pass over what is locked.
 *
 * <p>One file, though a long one: the statements share their parts.
 */
final class Sql {
  private Sql() {}

  /** node, session, token, writes. */
  private static final String ME =
      """
      WITH me AS (
        UPDATE kron.node n SET writes = n.writes + 1
        WHERE n.node = ? AND n.session = ? AND n.token = ? AND n.writes >= ? AND NOT n.removed
        RETURNING n.node, n.writes, kron.clock() AS now)
      """;

  private static final String ME_WITH_LEASE =
      ME.replace("NOT n.removed", "NOT n.removed AND n.lease_until > kron.clock()");

  private static final String SHARED = "'00000000-0000-0000-0000-000000000000'";

  /** How the session stands, before whatever else is answered. */
  private static final String STANDING =
      """
      SELECT (SELECT writes FROM me), n.session, n.token, n.writes, n.removed,
        n.lease_until > kron.clock(), kron.clock()
      """;

  /** Node. There is always a row, so that the standing is answered. */
  private static final String ONE = " FROM (SELECT 1) one LEFT JOIN kron.node n ON n.node = ? ";

  static final String ROW =
      """
      j.identity, j.node, s.definition, j.generation, s.suspended, j.last_period, j.last_attempt,
      j.last_run, greatest(j.since, s.since), greatest(j.counts_from, s.counts_from),
      greatest(j.claims_from, s.claims_from), j.retry_at, j.active_run, j.active_node,
      j.active_period, j.active_attempt, j.active_since, j.lost_since, j.rerun_at,
      coalesce(NOT a.removed AND a.lease_until > kron.clock(), false), j.rerun
      """;

  private static final String ROW_JOINS =
      " LEFT JOIN kron.job s ON s.identity = j.identity AND s.node = "
          + SHARED
          + " LEFT JOIN kron.node a ON a.node = j.active_node ";

  static final String JOIN =
      """
      WITH given AS (SELECT ?::uuid AS node, ?::text AS name, ?::bigint AS session, ?::uuid AS token,
          ?::bigint AS writes, ?::text[] AS labels, ?::text AS version, ?::bigint AS lease,
          ?::boolean AS fresh),
      taken AS (SELECT o.node FROM kron.node o, given g WHERE o.name = g.name AND o.node <> g.node
          AND NOT o.removed AND o.lease_until > kron.clock() LIMIT 1),
      again AS (
        UPDATE kron.node n SET session = g.session, token = g.token, name = g.name,
          labels = g.labels, version = g.version, lease = g.lease,
          lease_until = kron.clock() + g.lease, renewal = n.renewal + 1, writes = n.writes + 1,
          joined = kron.clock()
        FROM given g
        WHERE n.node = g.node AND NOT n.removed AND n.writes >= g.writes
          AND NOT EXISTS (SELECT FROM taken)
          AND (n.session, n.token) IN (SELECT * FROM unnest(?::bigint[], ?::uuid[]))
        RETURNING n.writes),
      first AS (
        INSERT INTO kron.node (node, name, labels, version, session, token, writes, renewal, lease,
          lease_until, clock_offset, joined)
        SELECT g.node, g.name, g.labels, g.version, g.session, g.token, 1, 1, g.lease,
          kron.clock() + g.lease, 0, kron.clock()
        FROM given g
        WHERE g.fresh AND NOT EXISTS (SELECT FROM taken)
          AND NOT EXISTS (SELECT FROM kron.node o WHERE o.node = g.node)
        RETURNING writes)
      SELECT coalesce((SELECT writes FROM again), (SELECT writes FROM first)), n.session, n.token,
        n.removed, (SELECT node FROM taken), f.generation, kron.clock()
      FROM kron.fleet f LEFT JOIN given g ON true LEFT JOIN kron.node n ON n.node = g.node
      """;

  /**
   * Name, labels, version, lease, offset; the session; the newest version of the tables that is
   * known here; runs that go on; node. Runs that go on are few and read as a whole: their index is
   * none by their ids. Whoever does not know the tables any more renews no lease.
   */
  static final String RENEW =
      """
      WITH me AS (
        UPDATE kron.node n SET writes = n.writes + 1, renewal = n.renewal + 1,
          name = given.name, labels = given.labels, version = given.version, lease = given.lease,
          lease_until = kron.clock() + given.lease, clock_offset = given.clock_offset
        FROM (SELECT ?::text AS name, ?::text[] AS labels, ?::text AS version, ?::bigint AS lease,
          ?::bigint AS clock_offset) given
        WHERE n.node = ? AND n.session = ? AND n.token = ? AND n.writes >= ? AND NOT n.removed
          AND NOT EXISTS (SELECT FROM kron.schema_version v WHERE v.version > ?)
        RETURNING n.node, n.writes),
      going AS MATERIALIZED (SELECT unnest(?::text[]) AS run),
      back AS (
        UPDATE kron.open_run r SET state = 'running' FROM me, going
        WHERE r.run || '' = going.run AND r.node = me.node AND r.state = 'lost'),
      overlapping AS (
        UPDATE kron.settled_run r SET overlap = true FROM me, going
        WHERE r.run = going.run AND r.node = me.node AND r.state = 'released' AND NOT r.overlap),
      held AS MATERIALIZED (
        SELECT j.identity, j.node FROM kron.job j, me WHERE j.active_node = me.node
          AND j.active_run IN (SELECT run FROM going) AND j.lost_since IS NOT NULL
        ORDER BY j.identity, j.node FOR UPDATE OF j),
      found AS (
        UPDATE kron.job j SET lost_since = NULL, rerun_at = NULL FROM held
        WHERE j.identity = held.identity AND j.node = held.node)
      """
          + STANDING
          + ", f.generation, (SELECT max(version) FROM kron.schema_version)"
          + " FROM kron.fleet f LEFT JOIN kron.node n ON n.node = ?";

  static final String NODES =
      """
      SELECT node, name, labels, lease, renewal, lease_until <= kron.clock(), writes, removed
      FROM kron.node ORDER BY node
      """;

  /** Node. */
  static final String IN_MY_NAME =
      """
      SELECT identity, row_node, run, kind, period, attempt, reason FROM kron.open_run
      WHERE node = ?
      """;

  /**
   * Session, token, writes; node, twice. One statement, as each node asks every second. There is
   * always a row. Requests to run a job that nobody has taken stand in the first one, in arrays.
   */
  static final String POLL =
      """
      WITH t AS MATERIALIZED (
        SELECT array_agg(q.id ORDER BY q.asked) AS ids,
          array_agg(q.subject ORDER BY q.asked) AS subjects,
          array_agg(q.node ORDER BY q.asked) AS nodes
        FROM (SELECT * FROM kron.request WHERE state = 'open' AND expires > kron.clock()
          ORDER BY asked LIMIT 1000) q)
      SELECT CASE WHEN n.session = ? AND n.token = ? AND n.writes >= ? AND NOT n.removed
          THEN n.writes END, n.session, n.token, n.writes, n.removed, true, kron.clock(),
        f.generation, CASE WHEN row_number() OVER () = 1 THEN t.ids END,
        CASE WHEN row_number() OVER () = 1 THEN t.subjects END,
        CASE WHEN row_number() OVER () = 1 THEN t.nodes END,
      """
          + ROW
          + " FROM kron.fleet f LEFT JOIN kron.node n ON n.node = ? LEFT JOIN kron.job j"
          + " ON (j.retry_at IS NOT NULL OR j.lost_since IS NOT NULL) AND j.node IN ("
          + SHARED
          + ", ?)"
          + ROW_JOINS
          + " LEFT JOIN t ON true";

  /** Identities, nodes. */
  static final String LOOK =
      "SELECT kron.clock(), f.generation, "
          + ROW
          + " FROM kron.fleet f LEFT JOIN (kron.job j JOIN unnest(?::text[], ?::uuid[])"
          + " AS w(identity, node) ON j.identity = w.identity AND j.node = w.node) ON true"
          + ROW_JOINS;

  /**
   * The session; identities, nodes, definitions, fingerprints, places, own places; whether votes
   * for others are forgotten, identities of all; node.
   */
  static final String ARRIVE =
      ME
          + """
          , w AS MATERIALIZED (SELECT w.*, me.node AS voter FROM me, unnest(?::text[], ?::uuid[],
              ?::text[], ?::text[], ?::text[], ?::text[])
              AS w(identity, node, definition, fingerprint, place, own_place)),
          gone AS (DELETE FROM kron.vote v USING me WHERE v.node = me.node AND ?::boolean
              AND v.identity NOT IN (SELECT unnest(?::text[]))),
          voted AS (
            INSERT INTO kron.vote AS v (identity, node, definition, fingerprint, place)
            SELECT identity, voter, definition, fingerprint, place FROM w
            ON CONFLICT (identity, node) DO UPDATE SET definition = excluded.definition,
              fingerprint = excluded.fingerprint, place = excluded.place
            WHERE v.definition <> excluded.definition),
          shared AS (
            INSERT INTO kron.job (identity, node, definition, fingerprint, place, generation, since,
              counts_from, claims_from, last_period)
            SELECT w.identity, %1$s, w.definition, w.fingerprint, w.place, f.generation,
              kron.clock(), %2$s, %2$s, %2$s
            FROM w, kron.fleet f ORDER BY w.identity
            ON CONFLICT DO NOTHING),
          own AS (
            INSERT INTO kron.job AS j (identity, node, definition, fingerprint, place, generation,
              since, counts_from, claims_from, last_period)
            SELECT w.identity, w.node, w.definition, w.fingerprint, w.own_place, f.generation,
              kron.clock(), %2$s, %2$s, %2$s
            FROM w, kron.fleet f WHERE w.node <> %1$s ORDER BY w.identity
            ON CONFLICT (identity, node) DO UPDATE SET
              since = CASE WHEN j.fingerprint = excluded.fingerprint THEN j.since
                ELSE excluded.since END,
              counts_from = CASE WHEN j.place = excluded.place THEN j.counts_from
                ELSE excluded.since END,
              fingerprint = excluded.fingerprint, place = excluded.place,
              definition = excluded.definition
            WHERE j.definition <> excluded.definition OR j.place <> excluded.place)
          """
              .formatted(SHARED, "(-9223372036854775808)")
          + STANDING
          + ONE;

  /** The session; identities; node. */
  static final String DEFINE =
      ME
          + """
          , votes AS MATERIALIZED (
            SELECT v.identity, v.definition, v.fingerprint, v.place, count(*) AS n,
              sum(count(*)) OVER (PARTITION BY v.identity) AS total
            FROM me, kron.vote v JOIN kron.node l ON l.node = v.node AND NOT l.removed
              AND l.lease_until > kron.clock()
            WHERE v.identity = ANY (?::text[])
            GROUP BY v.identity, v.definition, v.fingerprint, v.place),
          elected AS MATERIALIZED (
            SELECT DISTINCT ON (v.identity) v.*, s.definition AS present
            FROM votes v JOIN kron.job s ON s.identity = v.identity AND s.node = %1$s
            WHERE v.definition <> s.definition AND (2 * v.n > v.total OR NOT EXISTS (
              SELECT FROM votes p WHERE p.identity = v.identity AND p.definition = s.definition))
            ORDER BY v.identity, v.n DESC, v.definition COLLATE "C"),
          locked AS MATERIALIZED (
            SELECT e.* FROM elected e JOIN kron.job s ON s.identity = e.identity AND s.node = %1$s
            WHERE s.definition = e.present
            ORDER BY e.identity FOR UPDATE OF s),
          changed AS (
            UPDATE kron.job s SET definition = l.definition, fingerprint = l.fingerprint,
              place = l.place,
              since = CASE WHEN s.fingerprint = l.fingerprint THEN s.since ELSE kron.clock() END,
              counts_from = CASE WHEN s.place = l.place THEN s.counts_from ELSE kron.clock() END
            FROM locked l WHERE s.identity = l.identity AND s.node = %1$s
              AND s.definition = l.present)
          """
              .formatted(SHARED)
          + STANDING
          + ONE;

  /**
   * What every statement about runs is given: lists of one length. Nodes that are left out stand
   * for all.
   */
  private static final String LISTS =
      """
      ?::text[] AS identity, array_replace(?::uuid[], NULL, %s) AS row_node, ?::text[] AS run,
      ?::text[] AS kind, ?::bigint[] AS period, ?::integer[] AS attempt, ?::bigint[] AS generation
      """
          .formatted(SHARED);

  /** An entry of each list in a row. */
  private static final String ROWS =
      """
      unnest(identity) AS identity, unnest(row_node) AS row_node, unnest(run) AS run,
      unnest(kind) AS kind, unnest(period) AS period, unnest(attempt) AS attempt,
      unnest(generation) AS generation
      """;

  /**
   * The planner does not see how many there are, and so never reads a whole table for them: it
   * looks for each by its key.
   */
  private static final String UNSEEN = " OFFSET 0) lists) ";

  private static final String CLAIMS =
      ", w AS MATERIALIZED (SELECT generate_subscripts(run, 1) AS ord,"
          + " unnest(window_start) AS window_start, unnest(due) AS due,"
          + " unnest(definition) AS definition, unnest(latest) AS latest,"
          + " unnest(concurrency) AS concurrency, unnest(note) AS note, "
          + ROWS
          + """
          FROM (SELECT ?::bigint[] AS window_start, ?::bigint[] AS due,
            ?::text[] AS definition, ?::bigint[] AS latest, ?::text[] AS concurrency,
            ?::text[] AS note,
          """
          + LISTS
          + UNSEEN;

  private static final String COUNTED =
      " w.period > j.last_period AND w.window_start > greatest(j.counts_from, s.counts_from)"
          + " AND w.due >= greatest(j.since, s.since) ";

  private static final String ALLOWED =
      " (j.active_run IS NULL OR w.concurrency = 'ALLOW'"
          + " OR (w.concurrency = 'REPLACE' AND j.active_node = me.node)"
          + " OR (w.kind = 'START' AND j.active_run = w.note AND j.rerun_at <= me.now)) ";

  /** What has no period can be taken twice, unless it is looked for. */
  private static final String NEW =
      " NOT EXISTS (SELECT FROM kron.open_run r WHERE r.identity = w.identity AND r.run = w.run)"
          + " AND NOT EXISTS (SELECT FROM kron.settled_run r WHERE r.run = w.run) ";

  private static final String CONDITION =
      " j.generation = w.generation AND s.definition = w.definition AND NOT s.suspended"
          + " AND me.now <= w.latest AND me.now >= greatest(w.due, j.claims_from, s.claims_from)"
          + " AND CASE w.kind WHEN 'START' THEN"
          + COUNTED
          + "AND"
          + ALLOWED
          + "WHEN 'MISSED' THEN"
          + COUNTED
          + "WHEN 'UNSCHEDULABLE' THEN"
          + COUNTED
          + "WHEN 'SKIPPED' THEN"
          + COUNTED
          + "AND j.active_run IS NOT NULL AND me.now >= w.due + 1000"
          + " AND (w.concurrency <> 'REPLACE' OR NOT EXISTS (SELECT FROM kron.node a"
          + " WHERE a.node = j.active_node AND NOT a.removed AND a.lease_until > me.now))"
          + " WHEN 'RETRY' THEN j.last_period = w.period AND j.last_attempt = w.attempt - 1"
          + " AND j.retry_at <= me.now"
          + " AND (j.active_run IS NULL OR w.concurrency = 'ALLOW')"
          + " WHEN 'RERUN' THEN j.last_period = w.period AND j.last_attempt = w.attempt - 1"
          + " AND j.active_run = w.note AND j.rerun_at <= me.now"
          + " ELSE"
          + ALLOWED
          + "AND"
          + NEW
          + "END ";

  /**
   * The rows that are free and may be taken, in their order. That which is locked is found again by
   * its place: where it had changed since the statement began it is not, and not taken.
   */
  private static final String TAKE =
      """
      , taken AS (
        UPDATE kron.job j SET
          last_period = CASE WHEN l.apart THEN j.last_period ELSE l.period END,
          last_attempt = CASE WHEN l.apart THEN j.last_attempt WHEN l.recorded THEN 0
            ELSE l.attempt END,
          last_run = CASE WHEN l.apart THEN j.last_run ELSE l.run END,
          retry_at = CASE WHEN l.apart THEN j.retry_at END,
          rerun = CASE WHEN l.apart OR l.kind = 'RETRY' THEN j.rerun ELSE l.kind = 'RERUN' END,
          active_run = CASE WHEN l.activates THEN l.run ELSE j.active_run END,
          active_node = CASE WHEN l.activates THEN l.taker ELSE j.active_node END,
          active_period = CASE WHEN l.activates THEN l.period ELSE j.active_period END,
          active_attempt = CASE WHEN l.activates THEN l.attempt ELSE j.active_attempt END,
          active_since = CASE WHEN l.activates THEN l.now ELSE j.active_since END,
          lost_since = CASE WHEN NOT l.activates THEN j.lost_since END,
          rerun_at = CASE WHEN NOT l.activates THEN j.rerun_at END
        FROM (
          SELECT j.place, w.ord, w.run, w.kind, w.period, w.attempt, w.note, me.node AS taker,
            me.now, w.kind IN ('CHAIN', 'TRIGGER') AS apart,
            w.kind IN ('MISSED', 'SKIPPED', 'UNSCHEDULABLE') AS recorded,
            w.kind IN ('START', 'RETRY', 'RERUN') OR (w.kind IN ('CHAIN', 'TRIGGER')
              AND (j.idle OR w.concurrency <> 'ALLOW')) AS activates
          FROM me
            CROSS JOIN (SELECT * FROM w ORDER BY identity COLLATE "C", row_node) w
            CROSS JOIN LATERAL (
              SELECT j.ctid AS place, j.active_run IS NULL AS idle %1$s
              WHERE %2$s
              FOR UPDATE OF j SKIP LOCKED %3$s) j) l
        WHERE j.ctid = l.place
        RETURNING j.identity, j.node AS row_node, l.ord, l.run, l.kind, l.period, l.attempt,
          l.note, l.taker, l.now, l.recorded),
      begun AS (
        INSERT INTO kron.open_run (run, identity, row_node, node, kind, period, attempt, state,
          reason, claimed)
        SELECT l.run, l.identity, l.row_node, l.taker, l.kind, l.period, l.attempt, 'running',
          l.note, l.now
        FROM taken l WHERE NOT l.recorded),
      told AS (
        INSERT INTO kron.settled_run (run, identity, row_node, node, kind, period, attempt, state,
          outcome, reason, claimed, ended)
        SELECT l.run, l.identity, l.row_node, l.taker, l.kind, l.period, l.attempt, 'ended',
          lower(l.kind), l.note, l.now, l.now
        FROM taken l WHERE l.recorded)
      """;

  /** Where a node has a row of its own the one that all share has a say too. */
  private static final String OWN =
      "FROM kron.job s JOIN kron.job j ON j.identity = w.identity AND j.node = w.row_node";

  private static final String SHARED_ROW =
      "s.identity = w.identity AND s.node = " + SHARED + " AND";

  private static final String OWN_LOCKS = "FOR SHARE OF s SKIP LOCKED";

  /** Whether what a claim answers to is still asked for; claims of periods answer to nothing. */
  private static final String OPEN =
      " w.kind <> 'TRIGGER' OR EXISTS (SELECT FROM kron.request q WHERE q.id = w.note"
          + " AND q.state = 'open' AND q.expires > kron.clock()), ";

  /**
   * Of what was taken nothing has to be known but how many it are: the rows are about the others.
   */
  private static final String VERDICTS =
      STANDING
          + ", (SELECT count(*) FROM taken), w.ord, (SELECT min(r.state) FROM kron.run r WHERE"
          + " r.identity = w.identity AND r.run = w.run), "
          + OPEN
          + ROW
          + ONE
          + " LEFT JOIN w ON EXISTS (SELECT FROM me) AND w.ord NOT IN (SELECT ord FROM taken)"
          + " LEFT JOIN kron.job j ON j.identity = w.identity AND j.node = w.row_node"
          + ROW_JOINS;

  /** The session; the claims; node. */
  static final String CLAIM =
      ME_WITH_LEASE + CLAIMS + TAKE.formatted(OWN, SHARED_ROW + CONDITION, OWN_LOCKS) + VERDICTS;

  /** The same where all rows are those that all nodes share. */
  static final String CLAIM_SHARED =
      ME_WITH_LEASE
          + CLAIMS
          + TAKE.formatted(
              "FROM kron.job j", (SHARED_ROW + CONDITION).replaceAll("\\bs[.]", "j."), "")
          + VERDICTS;

  /** The session; one claim; request; run; node. */
  static final String TAKE_REQUEST =
      ME_WITH_LEASE
          + CLAIMS
          + TAKE.formatted(
              OWN + " JOIN kron.request q ON q.id = w.note",
              SHARED_ROW + CONDITION + " AND q.state = 'open' AND q.expires > kron.clock()",
              OWN_LOCKS + " FOR UPDATE OF q SKIP LOCKED")
          + """
          , used AS (UPDATE kron.request q SET state = 'done', run = l.run FROM taken l
              WHERE q.id = l.note)
          """
          + VERDICTS;

  /**
   * What takes the place of an active run that leaves its row: the last one of the others that go
   * on beside it. There are others where the policy allowed them, or did when they were claimed,
   * and where a run ended that never came to replace the one before. Each is locked, as one that
   * ended a moment ago would never leave again.
   *
   * @param from rows that name a run which leaves, called x
   */
  static String others(String from, String condition) {
    return """
    beside AS MATERIALIZED (
      SELECT x.run AS leaves, r.run, r.node, r.period, r.attempt, r.claimed
      FROM %s JOIN kron.open_run r ON r.identity = x.identity AND r.row_node = x.row_node
        AND r.state = 'running'
      WHERE %s FOR SHARE OF r SKIP LOCKED),
    others AS MATERIALIZED (
      SELECT DISTINCT ON (leaves) * FROM beside ORDER BY leaves, claimed DESC, run),
    """
        .formatted(from, condition);
  }

  private static final String SETTLED =
      """
      INSERT INTO kron.settled_run AS r (run, identity, row_node, node, kind, period, attempt,
        state, outcome, exit_code, reason, claimed, began, ended, output)
      SELECT l.run, l.identity, l.row_node, l.teller, l.kind, l.period, l.attempt, 'ended',
        l.outcome, l.exit_code, l.reason, l.claimed, l.began, l.now, l.output
      """;

  private static final String ENDS =
      """
      (SELECT w.*, me.node AS teller, me.now, w.kind NOT IN ('CHAIN', 'TRIGGER') AS counts
        FROM me CROSS JOIN (
          SELECT unnest(outcome) AS outcome, unnest(exit_code) AS exit_code,
            unnest(began) AS began, unnest(reason) AS reason, unnest(output) AS output,
            unnest(retry_at) AS retry_at, unnest(concurrency) AS concurrency,
      """
          + ROWS
          + """
          FROM (SELECT ?::text[] AS outcome, ?::integer[] AS exit_code, ?::bigint[] AS began,
            ?::text[] AS reason, ?::text[] AS output, ?::bigint[] AS retry_at,
            ?::text[] AS concurrency,
          """
          + LISTS
          + UNSEEN
          + " w) ";

  /** The rows are changed in the order of their identities. */
  private static final String FREED =
      """
      freed AS (
        UPDATE kron.job j SET
          last_period = CASE WHEN l.counts AND l.period > j.last_period THEN l.period
            ELSE j.last_period END,
          last_attempt = CASE WHEN l.counts AND l.period > j.last_period THEN l.attempt
            ELSE j.last_attempt END,
          last_run = CASE WHEN l.counts AND l.period > j.last_period THEN l.run
            ELSE j.last_run END,
          retry_at = CASE
            WHEN l.retry_at IS NOT NULL AND l.generation = j.generation
              AND (j.last_run = l.run OR (l.counts AND l.period > j.last_period))
              AND NOT EXISTS (SELECT FROM kron.settled_run r WHERE r.run = l.run
                AND (r.state = 'ended' OR r.node <> l.teller))
            THEN l.retry_at
            WHEN l.counts AND l.period > j.last_period THEN NULL ELSE j.retry_at END,
          active_run = CASE WHEN j.active_run = l.run THEN %1$s ELSE j.active_run END,
          active_node = CASE WHEN j.active_run = l.run THEN %2$s ELSE j.active_node END,
          lost_since = CASE WHEN j.active_run = l.run THEN NULL ELSE j.lost_since END,
          rerun_at = CASE WHEN j.active_run = l.run THEN NULL ELSE j.rerun_at END%3$s
        FROM (SELECT * FROM %4$s w ORDER BY identity COLLATE "C", row_node) l %5$s
        WHERE j.identity = l.identity AND j.node = l.row_node
        RETURNING l.run, l.identity, l.row_node, l.teller, l.kind, l.period, l.attempt, l.outcome,
          l.exit_code, l.reason, l.began, l.now, l.output),
      """;

  private static final String SETTLING =
      """
      gone AS (
        DELETE FROM kron.open_run r USING freed l
        WHERE r.identity = l.identity AND r.run = l.run AND r.node = l.teller
        RETURNING r.claimed, l.run, l.identity, l.row_node, l.teller, l.kind, l.period,
          l.attempt, l.outcome, l.exit_code, l.reason, l.began, l.now, l.output),
      ended AS (
      """
          + SETTLED
          + """
            FROM gone l WHERE NOT EXISTS (SELECT FROM kron.settled_run s WHERE s.run = l.run)),
          unknown AS (
          """
          + SETTLED.replace("l.claimed", "l.now")
          + """
            FROM freed l WHERE l.run NOT IN (SELECT run FROM gone)
            ON CONFLICT (run) DO UPDATE SET state = 'ended', outcome = excluded.outcome,
              exit_code = excluded.exit_code, reason = excluded.reason, began = excluded.began,
              ended = excluded.ended, output = excluded.output
            WHERE r.state <> 'ended' AND r.node = excluded.node)
          """
          + STANDING
          + ", (SELECT array_agg(run) FROM freed)"
          + ONE;

  /**
   * The session; outcomes, exit codes, beginnings, reasons, outputs, retries, policies; the runs;
   * node. No run of them may be beside others.
   */
  static final String SETTLE = ME + ", " + FREED.formatted("NULL", "NULL", "", ENDS, "") + SETTLING;

  /** The same where runs may be beside others, which take the places of those that end. */
  static final String SETTLE_BESIDE =
      ME
          + ", w AS MATERIALIZED "
          + ENDS
          + """
          , locked AS MATERIALIZED (
            SELECT w.run, w.identity, w.row_node,
              w.concurrency <> 'FORBID' AND j.active_run = w.run AS leaves
            FROM w JOIN kron.job j ON j.identity = w.identity AND j.node = w.row_node
            ORDER BY j.identity, j.node FOR UPDATE OF j),
          """
          + others("locked x", "x.leaves AND r.run <> x.run")
          + FREED.formatted(
              "o.run",
              "o.node",
              """
              ,
              active_period = CASE WHEN o.run IS NULL THEN j.active_period ELSE o.period END,
              active_attempt = CASE WHEN o.run IS NULL THEN j.active_attempt ELSE o.attempt END,
              active_since = CASE WHEN o.run IS NULL THEN j.active_since ELSE o.claimed END
              """,
              "w",
              "LEFT JOIN others o ON o.leaves = l.run")
          + SETTLING;

  /** The session; the runs, with their notes; node. */
  static final String RESTORE =
      ME
          + ", w AS MATERIALIZED (SELECT unnest(note) AS note, "
          + ROWS
          + " FROM (SELECT ?::text[] AS note, "
          + LISTS
          + UNSEEN
          + """
          , locked AS MATERIALIZED (
            SELECT w.*, me.node AS teller,
              w.kind NOT IN ('CHAIN', 'TRIGGER') AND w.period > j.last_period AS back,
              j.active_run IS NULL OR j.active_node = me.node
                OR (w.kind NOT IN ('CHAIN', 'TRIGGER')
                  AND (w.period, w.attempt) > (j.active_period, j.active_attempt)) AS takes
            FROM me CROSS JOIN w
              JOIN kron.job j ON j.identity = w.identity AND j.node = w.row_node
            ORDER BY j.identity, j.node FOR UPDATE OF j),
          put AS (
            INSERT INTO kron.open_run (run, identity, row_node, node, kind, period, attempt, state,
              reason, claimed)
            SELECT l.run, l.identity, l.row_node, l.teller, l.kind, l.period, l.attempt, 'running',
              l.note, kron.clock()
            FROM locked l WHERE NOT EXISTS (SELECT FROM kron.settled_run r WHERE r.run = l.run)
            ON CONFLICT DO NOTHING RETURNING run),
          again AS MATERIALIZED (
            SELECT l.* FROM locked l
              LEFT JOIN kron.open_run r ON r.identity = l.identity AND r.run = l.run
            WHERE l.run IN (SELECT run FROM put) OR r.node = l.teller),
          active AS (
            UPDATE kron.job j SET
              last_period = CASE WHEN l.back THEN l.period ELSE j.last_period END,
              last_attempt = CASE WHEN l.back THEN l.attempt ELSE j.last_attempt END,
              last_run = CASE WHEN l.back THEN l.run ELSE j.last_run END,
              retry_at = CASE WHEN l.back THEN NULL ELSE j.retry_at END,
              active_run = CASE WHEN l.takes THEN l.run ELSE j.active_run END,
              active_node = CASE WHEN l.takes THEN l.teller ELSE j.active_node END,
              active_period = CASE WHEN l.takes THEN l.period
                ELSE j.active_period END,
              active_attempt = CASE WHEN l.takes THEN l.attempt
                ELSE j.active_attempt END,
              active_since = CASE WHEN l.takes THEN kron.clock()
                ELSE j.active_since END,
              lost_since = CASE WHEN NOT l.takes THEN j.lost_since END,
              rerun_at = CASE WHEN NOT l.takes THEN j.rerun_at END
            FROM again l WHERE j.identity = l.identity AND j.node = l.row_node)
          """
          + STANDING
          + ", (SELECT array_agg(run) FROM locked)"
          + ONE;

  /** The session; the lost node, its renewal; node. */
  static final String LOSE =
      ME
          + """
          , lost AS MATERIALIZED (
            SELECT o.node, o.lease_until FROM me, kron.node o
            WHERE o.node = ? AND o.renewal = ? AND o.lease_until <= kron.clock()
            FOR UPDATE OF o SKIP LOCKED),
          gone AS (
            UPDATE kron.open_run r SET state = 'lost' FROM lost
            WHERE r.node = lost.node AND r.state = 'running'),
          held AS MATERIALIZED (
            SELECT j.identity, j.node, lost.lease_until
            FROM lost JOIN kron.open_run r ON r.node = lost.node
              JOIN kron.job j ON j.identity = r.identity AND j.node = r.row_node
                AND j.active_run = r.run AND j.lost_since IS NULL
            ORDER BY j.identity, j.node FOR UPDATE OF j),
          marked AS (
            UPDATE kron.job j SET lost_since = kron.clock(),
              rerun_at = CASE WHEN NOT j.rerun THEN held.lease_until + 20000 END
            FROM held, lost WHERE j.identity = held.identity AND j.node = held.node
              AND j.active_node = lost.node)
          """
          + STANDING
          + ONE;

  /** Generation, fleet's time, pause. */
  static final String RAISE =
      """
      WITH given AS (SELECT ?::bigint AS generation, ?::bigint AS fleet, ?::bigint AS pause),
      raised AS (
        UPDATE kron.fleet f SET generation = f.generation + 1 FROM given g
        WHERE f.generation = g.generation RETURNING f.generation),
      held AS MATERIALIZED (
        SELECT j.identity, j.node FROM kron.job j, raised ORDER BY j.identity, j.node
        FOR UPDATE OF j),
      jobs AS (
        UPDATE kron.job j SET generation = r.generation,
          counts_from = greatest(j.counts_from, kron.clock(), g.fleet),
          claims_from = kron.clock() + g.pause,
          retry_at = NULL, rerun_at = NULL, rerun = true
        FROM raised r, given g, held h WHERE j.identity = h.identity AND j.node = h.node),
      requests AS (UPDATE kron.request q SET state = 'void' FROM raised WHERE q.state = 'open')
      SELECT coalesce((SELECT generation FROM raised), f.generation) FROM kron.fleet f
      """;

  /** Requests before, runs that were claimed and that ended before, how many. */
  static final String PRUNE =
      """
      WITH requests AS (DELETE FROM kron.request
        WHERE (state <> 'open' OR expires <= kron.clock()) AND asked < ?)
      DELETE FROM kron.settled_run WHERE run IN (
        SELECT run FROM kron.settled_run WHERE claimed < ? AND ended < ?
        ORDER BY claimed LIMIT ? FOR UPDATE SKIP LOCKED)
      """;
}
