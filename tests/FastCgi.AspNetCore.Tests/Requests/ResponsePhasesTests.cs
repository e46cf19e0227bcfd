namespace FastCgi.AspNetCore.Tests.Requests;

public class ResponsePhasesTests
{
    private const int ApplicationError = 13;

    private readonly FeaturesFixture _fixture = new();

    [Theory]
    [InlineData(false, false, false, "Error")]
    [InlineData(false, false, true, "Error")]
    [InlineData(false, true, false, "Error")]
    [InlineData(false, true, true, "Error")]
    [InlineData(true, false, false, "Whole")]
    [InlineData(true, false, true, "Whole")]
    [InlineData(true, true, false, "Torn")]
    [InlineData(true, true, true, "Whole")]
    public void An_outcome_follows_from_start_failure_and_body(
        bool hasStarted, bool hasFailed, bool isBodyForbidden, string outcome)
    {
        _fixture.BeginNext(("REQUEST_METHOD", isBodyForbidden ? "HEAD" : "GET"));
        ApplicationResponse response = _fixture.Response;
        if (hasStarted)
        {
            Assert.True(response.StartAsync(default).IsCompletedSuccessfully);
        }

        if (hasFailed)
        {
            _fixture.Server.Logs.ExpectError(ApplicationError);
            response.ReportError(new InvalidOperationException("of the application"));
        }

        response.EndOrFail();

        Assert.Equal(
            outcome,
            _fixture.Connection.Asked.Contains("tear") ? "Torn"
            : _fixture.Connection.Stdout.Contains("Status: 500", StringComparison.Ordinal) ? "Error"
            : "Whole");
        Assert.Equal(outcome == "Torn" ? 0 : 1, _fixture.Connection.Ends);
    }
}
