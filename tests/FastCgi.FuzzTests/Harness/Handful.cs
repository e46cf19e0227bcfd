namespace FastCgi.FuzzTests.Harness;

/// <summary>Some requests side by side that leave in one send. What becomes of each is settled, and counted, here.</summary>
public sealed class Handful(StormTally tally, Random random)
{
    public const int Size = 8;

    private readonly RecordBuilder _records = new();
    private int? _cutAt;

    public ReadOnlyMemory<byte> Bytes => _records.ToArray().AsMemory(0, _cutAt ?? _records.Length);

    /// <summary>Requests that get their END_REQUEST: a tenth is aborted inside the body, a tenth behind its last byte.</summary>
    public Handful Add(int count)
    {
        for (var id = 1; id <= count; id++)
        {
            var fate = random.Next(10) switch { 0 => Fate.Unfinished, 1 => Fate.Raced, _ => Fate.Served };
            var script = NewScript(id, fate);
            if (fate == Fate.Unfinished)
            {
                AddHead(script).Stdin(id, script.Body.AsSpan(0, random.Next(script.Body.Length))).Abort(id);
            }
            else
            {
                _records.Request(script);
                _ = fate == Fate.Raced ? _records.Abort(id) : _records;
            }

            tally.CountRequest(fate);
        }

        return this;
    }

    /// <summary>A request that breaks off before the last byte of its body, and so gets no END_REQUEST.</summary>
    public Handful AddCut(int id)
    {
        var script = NewScript(id, Fate.Unfinished);
        var begin = _records.Length;
        var whenSeen = AddHead(script).Length;
        var end = _records.Stdin(id, script.Body).Length;
        _cutAt = random.Next(begin + 1, end);
        tally.CountRequest(_cutAt >= whenSeen ? Fate.Unfinished : null);
        return this;
    }

    /// <summary>Requests that nobody waits for; every other time they break off somewhere.</summary>
    public Handful AddAbandoned()
    {
        for (var id = 1; id <= Size; id++)
        {
            _records.Request(NewScript(id, Fate.Abandoned));
            tally.CountRequest(Fate.Abandoned);
        }

        _cutAt = random.Next(2) == 0 ? random.Next(_records.Length) : null;
        return this;
    }

    /// <summary>Never without a body, so that CONTENT_LENGTH says how much of it is to be awaited.</summary>
    private RequestScript NewScript(int id, Fate fate) =>
        new() { Id = id, Method = fate.Method(), Body = new byte[random.Next(1, 2000)] };

    private RecordBuilder AddHead(RequestScript script) =>
        _records.Begin(script.Id).Params(script.Id, script.ToParams()).EndParams(script.Id);
}
