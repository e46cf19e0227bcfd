namespace FastCgi.Tool.Parameters;

/// <summary>Writes a captured request as a table, as text for a browser, or as JSON.</summary>
internal static class CapturedRequestWriter
{
    public static void Write(ToolTerminal terminal, CapturedRequest request)
    {
        terminal.Output.WriteLine($"{request.Protocol}, body of {request.BodyLength} bytes");
        terminal.WriteTable(
            ["param", "value", "meaning"],
            [
                .. request.Parameters.Select(static parameter =>
                    (string[])[parameter.Key, parameter.Value, ParameterGuide.MeaningOf(parameter.Key)]),
            ]);
        terminal.WriteTable(
            ["ASP.NET Core", "value"],
            [.. request.Seen.Select(static seen => (string[])[seen.Key, seen.Value])]);
        foreach (string advice in ParameterAdvice.For(request))
        {
            terminal.WriteWrapped($"! {PrintableWriter.Show(advice)}", hanging: "  ");
        }
    }

    /// <summary>The same as text, without a terminal.</summary>
    public static string ToText(CapturedRequest request)
    {
        var text = new StringBuilder();
        text.AppendLine(
            CultureInfo.InvariantCulture, $"{request.Protocol}, body of {request.BodyLength} bytes").AppendLine();
        foreach ((string name, string value) in request.Parameters)
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"{name} = {PrintableWriter.Show(value)}");
            text.AppendLine(CultureInfo.InvariantCulture, $"    {ParameterGuide.MeaningOf(name)}");
        }

        text.AppendLine();
        foreach ((string name, string value) in request.Seen)
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"{name} = {PrintableWriter.Show(value)}");
        }

        text.AppendLine();
        foreach (string advice in ParameterAdvice.For(request))
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"! {advice}");
        }

        return text.ToString();
    }

    public static JsonObject ToJson(CapturedRequest request) => new()
    {
        ["protocol"] = request.Protocol,
        ["bodyLength"] = request.BodyLength,
        ["params"] = new JsonArray([.. request.Parameters.Select(static parameter => new JsonObject
        {
            ["name"] = parameter.Key,
            ["value"] = parameter.Value,
            ["meaning"] = ParameterGuide.MeaningOf(parameter.Key),
        })]),
        ["seen"] = new JsonObject(
            request.Seen.Select(static seen => KeyValuePair.Create(seen.Key, (JsonNode?)seen.Value))),
        ["advice"] = new JsonArray([.. ParameterAdvice.For(request).Select(static advice => JsonValue.Create(advice))]),
    };
}
