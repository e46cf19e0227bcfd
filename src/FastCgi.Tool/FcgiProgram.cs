using System.CommandLine.Invocation;

namespace FastCgi.Tool;

/// <summary>Runs the tool, from its arguments to its exit code.</summary>
internal static class FcgiProgram
{
    public static async Task<int> RunAsync(
        IReadOnlyList<string> arguments, ToolTerminal terminal, CancellationToken cancellationToken = default)
    {
        // No response files, because @- and @FILE are bodies.
        string? first = arguments is [var name, ..] ? name : null;
        ParseResult parsed = FcgiCommandLine.Create(terminal, first).Parse(
            arguments, new ParserConfiguration { ResponseFileTokenReplacer = null });
        if (parsed.Action is ParseErrorAction || UsageErrors.HasUnknownOption(parsed, arguments))
        {
            return ReportUsage(parsed, arguments, terminal);
        }

        try
        {
            return await parsed.InvokeAsync(
                new InvocationConfiguration
                {
                    EnableDefaultExceptionHandler = false,
                    // Hosts handle Ctrl+C and SIGTERM themselves, and have time to stop. Other commands end at once.
                    ProcessTerminationTimeout = null,
                    Output = terminal.Output,
                    Error = terminal.Error,
                },
                cancellationToken);
        }
        catch (ToolException exception)
        {
            return Report(terminal, exception.ExitCode, exception.Message);
        }
        catch (OperationCanceledException)
        {
            return ExitCode.Interrupted;
        }
        catch (Exception exception) when (FastCgiException.Find(exception) is { } failure)
        {
            return Report(terminal, CodeOf(failure.Error), Uncapitalize(failure.Message));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or FormatException)
        {
            return Report(terminal, ExitCode.Usage, exception.Message);
        }
        catch (Exception exception)
        {
            return Report(terminal, ExitCode.Defect, $"unexpected: {exception}");
        }
        finally
        {
            await terminal.Output.FlushAsync(CancellationToken.None);
        }
    }

    private static int ReportUsage(ParseResult parsed, IReadOnlyList<string> arguments, ToolTerminal terminal)
    {
        foreach (string message in UsageErrors.Of(parsed, arguments))
        {
            terminal.Error.WriteLine($"fcgi: {message}");
        }

        string path = string.Join(' ', Path(parsed.CommandResult.Command, parsed));
        terminal.Error.WriteLine($"fcgi: '{path} --help' shows the options and an example.");
        return ExitCode.Usage;
    }

    private static IEnumerable<string> Path(Command command, ParseResult parsed) =>
        command == parsed.RootCommandResult.Command ? ["fcgi"] : ["fcgi", command.Name];

    /// <summary>A sentence as the part after "fcgi: ". Names keep their capitals.</summary>
    private static string Uncapitalize(string sentence) =>
        sentence.Split(' ')[0] is [_, .. var rest] && !rest.Any(char.IsUpper)
            ? char.ToLowerInvariant(sentence[0]) + sentence[1..]
            : sentence;

    private static int Report(ToolTerminal terminal, int code, string message)
    {
        terminal.Error.WriteLine($"fcgi: {message}");
        return code;
    }

    private static int CodeOf(FastCgiError error) => error switch
    {
        FastCgiError.ConnectFailed => ExitCode.Unreachable,
        FastCgiError.ConnectTimeout or FastCgiError.ResponseHeadersTimeout => ExitCode.Timeout,
        FastCgiError.InvalidRequest => ExitCode.Usage,
        _ => ExitCode.BrokenAnswer,
    };
}
