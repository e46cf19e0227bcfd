using System.Text;

namespace FastCgi.FuzzTests.Model;

/// <summary>Compares what came back, and what the application saw, with the model.</summary>
public static class Verdict
{
    /// <summary>Null when all is as it must be.</summary>
    public static string? OnAnswers(ConversationModel model, IReadOnlyList<WireRecord> records, bool staysToRead)
    {
        if (OnRecords(model, records, staysToRead) is { } wrong)
        {
            return wrong;
        }

        foreach (var ofId in model.Requests.GroupBy(request => request.Id))
        {
            var answers = AnswersOf(records, ofId.Key);
            if (OnAnswersOf([.. ofId], answers, staysToRead) is { } error)
            {
                return $"id {ofId.Key}: {error}";
            }
        }

        return null;
    }

    /// <summary>Nothing twice, nothing that was not sent.</summary>
    public static string? OnSightings(ConversationModel model, IReadOnlyDictionary<string, int> seen) => seen
        .Where(sighting => !model.HasStrays && sighting.Value > model.MayBeSeen(sighting.Key))
        .Select(s => $"the application saw {s.Key} {s.Value} times, not {model.MayBeSeen(s.Key)} at the most")
        .FirstOrDefault();

    private static string? OnRecords(
        ConversationModel model, IReadOnlyList<WireRecord> records, bool staysToRead)
    {
        var management = 0;
        for (var i = 0; i < records.Count; i++)
        {
            var record = records[i];
            if (record.IsTear && (model.MayTear || model.MayBeDropped) && i == records.Count - 1)
            {
                // What had begun breaks off, for the lack of its body or with a connection that is dropped.
                break;
            }

            var isManagement = record.Type is WireRecord.GetValuesResult or WireRecord.UnknownType;
            management += isManagement ? 1 : 0;
            if (record.Version != 1
                || (!isManagement && record.Type is not (WireRecord.EndRequest or WireRecord.Stdout))
                || isManagement != (record.RequestId == 0)
                || (record.Type == WireRecord.EndRequest && record.Content.Length != 8)
                || (!isManagement && model.Requests.All(request => request.Id != record.RequestId)))
            {
                return $"no such record may come: {record}";
            }
        }

        return management > model.MostManagement || (staysToRead && management < model.LeastManagement)
            ? $"{management} management answers, not {model.LeastManagement} to {model.MostManagement}"
            : null;
    }

    private static List<List<WireRecord>> AnswersOf(IReadOnlyList<WireRecord> records, int id)
    {
        var answers = new List<List<WireRecord>>();
        var ended = true;
        foreach (var record in records.Where(record => record.RequestId == id && !record.IsTear))
        {
            if (ended)
            {
                answers.Add([]);
            }

            answers[^1].Add(record);
            ended = record.Type == WireRecord.EndRequest;
        }

        return answers;
    }

    private static string? OnAnswersOf(List<ModelRequest> requests, List<List<WireRecord>> answers, bool staysToRead)
    {
        if (answers.Count > requests.Count)
        {
            return $"{answers.Count} answers to {requests.Count} requests";
        }

        var certain = requests.Count(request => request.IsCertain);
        var ended = answers.Count(answer => answer[^1].Type == WireRecord.EndRequest);
        if (staysToRead && ended < certain)
        {
            return $"{ended} times END_REQUEST for {certain} requests";
        }

        var waiting = requests.Where(request => request.MustBeServed).ToList();
        foreach (var answer in answers)
        {
            if (OnAnswer(requests, answer, waiting) is { } error)
            {
                return error;
            }
        }

        return staysToRead && waiting.Count > 0 ? $"{waiting[0].Script!.Token} was not answered by the application" : null;
    }

    private static string? OnAnswer(List<ModelRequest> requests, List<WireRecord> answer, List<ModelRequest> waiting)
    {
        var end = answer.FindIndex(record => record.Type == WireRecord.Stdout && record.Content.Length == 0);
        if (end >= 0 && end < answer.Count - 1 && answer[end + 1].Type == WireRecord.Stdout)
        {
            return "STDOUT goes on behind its end";
        }

        var stdout = Bytes.Join(answer.Where(record => record.Type == WireRecord.Stdout).Select(record => record.Content));
        var headEnd = stdout.AsSpan().IndexOf("\r\n\r\n"u8);
        if (TokenOf(stdout.AsSpan(0, Math.Max(headEnd, 0))) is not { } token)
        {
            return null;
        }

        var candidates = requests.FindAll(request => request.Script?.Token == token);
        var strays = requests.Exists(request => request is { Script: null, IsRefused: false });
        if (candidates.Count == 0)
        {
            return strays ? null : $"the answer belongs to {token}, which was never sent with this id";
        }

        var isEnded = answer[^1].Type == WireRecord.EndRequest;
        var body = stdout.AsMemory(headEnd + 4);
        var exact = candidates.Find(request => request.Script!.ExpectedBody(request.Body).AsSpan().SequenceEqual(body.Span));
        if (exact is not null)
        {
            waiting.Remove(waiting.Find(request => request.Script == exact.Script) ?? exact);
            return end < 0 && isEnded && !candidates.Exists(request => request.IsAborted) ? "no end of STDOUT" : null;
        }

        // Cut short is right only for whom nobody waits.
        var mayBeCut = !isEnded || candidates.Exists(request => request.IsAborted);
        return strays || (mayBeCut && candidates.Exists(request => IsPrefix(request, body.Span)))
            ? null
            : $"the answer to {token} is not its own: {body.Length} bytes, "
                + Encoding.Latin1.GetString(body.Span[..Math.Min(80, body.Length)]);
    }

    private static bool IsPrefix(ModelRequest request, ReadOnlySpan<byte> body) =>
        request.Script!.ExpectedBody(request.Body).AsSpan().StartsWith(body);

    private static string? TokenOf(ReadOnlySpan<byte> head)
    {
        var name = "X-Token: "u8;
        var start = head.IndexOf(name);
        if (start < 0)
        {
            return null;
        }

        var value = head[(start + name.Length)..];
        var end = value.IndexOf("\r\n"u8);
        return Encoding.ASCII.GetString(end < 0 ? value : value[..end]);
    }
}
